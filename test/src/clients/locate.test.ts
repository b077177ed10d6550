import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientFile, type Machine } from '../../../src/clients/locate.ts'
import { aiClients } from '../../../src/clients/table.ts'

const timeout = 10_000

const machines: Readonly<Record<'linux' | 'darwin' | 'win32', Machine>> = {
  linux: { platform: 'linux', home: '/home/ana', cwd: '/src/app', env: {} },
  darwin: { platform: 'darwin', home: '/Users/ana', cwd: '/src/app', env: {} },
  win32: {
    platform: 'win32',
    home: 'C:\\Users\\ana',
    cwd: 'D:\\app',
    env: { APPDATA: 'C:\\Users\\ana\\AppData\\Roaming' },
  },
}

function fileOf(id: string, machine: Machine): string | undefined {
  const client = aiClients.find((known) => known.id === id)
  assert.ok(client)
  return clientFile(client, machine)
}

test('settings folders follow the customs of each system', { timeout }, () => {
  assert.equal(fileOf('claude-desktop', machines.linux), '/home/ana/.config/Claude/claude_desktop_config.json')
  assert.equal(
    fileOf('claude-desktop', machines.darwin),
    '/Users/ana/Library/Application Support/Claude/claude_desktop_config.json',
  )
  assert.equal(
    fileOf('claude-desktop', machines.win32),
    'C:\\Users\\ana\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
  )
  assert.equal(fileOf('cursor', machines.win32), 'C:\\Users\\ana\\.cursor\\mcp.json')
})

test('XDG_CONFIG_HOME moves them on Linux, unless it is relative', { timeout }, () => {
  const { linux } = machines
  assert.equal(fileOf('vscode', { ...linux, env: { XDG_CONFIG_HOME: '/x' } }), '/x/Code/User/mcp.json')
  assert.equal(fileOf('vscode', { ...linux, env: { XDG_CONFIG_HOME: 'x' } }), '/home/ana/.config/Code/User/mcp.json')
})

test('the file of a project lies in the folder one is in', { timeout }, () => {
  assert.equal(fileOf('claude-code', machines.linux), '/src/app/.mcp.json')
})

test('every client has a file on every system', { timeout }, () => {
  for (const machine of Object.values(machines))
    for (const client of aiClients) assert.ok(clientFile(client, machine), client.id)
})
