// The numbers and names that the hot path keeps for itself are the SDK's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as sdk from '@modelcontextprotocol/server'
import { CODE, isModernVersion, META, MODERN_VERSION, SESSION_VERSIONS } from '../../../src/mcp/protocol.ts'

const TIMEOUT = { timeout: 10_000 }

test('revisions, meta keys and error codes are the SDK’s own', TIMEOUT, () => {
  assert.deepEqual([...SESSION_VERSIONS], [...sdk.SUPPORTED_PROTOCOL_VERSIONS])
  assert.equal(META.version, sdk.PROTOCOL_VERSION_META_KEY)
  assert.equal(META.clientInfo, sdk.CLIENT_INFO_META_KEY)
  assert.equal(META.clientCapabilities, sdk.CLIENT_CAPABILITIES_META_KEY)
  assert.equal(META.logLevel, sdk.LOG_LEVEL_META_KEY)
  assert.equal(META.serverInfo, sdk.SERVER_INFO_META_KEY)
  assert.equal(META.relatedTask, sdk.RELATED_TASK_META_KEY)
  assert.equal(CODE.parse, sdk.PARSE_ERROR)
  assert.equal(CODE.invalidRequest, sdk.INVALID_REQUEST)
  assert.equal(CODE.methodNotFound, sdk.METHOD_NOT_FOUND)
  assert.equal(CODE.invalidParams, sdk.INVALID_PARAMS)
  assert.equal(CODE.internal, sdk.INTERNAL_ERROR)
})

test('no revision of the older family counts as modern', TIMEOUT, () => {
  assert.ok(isModernVersion(MODERN_VERSION))
  for (const version of SESSION_VERSIONS) assert.equal(isModernVersion(version), false)
})
