// What tests put in place of the world outside.
import type { DocumentFetch } from '../../src/oauth/client-documents.ts'

export interface OAuthOptions {
  /** Reads the metadata document of a client (and its keys); the guarded fetch unless given. */
  readonly fetchDocument?: DocumentFetch
}
