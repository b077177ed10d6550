// A program that connects with the client of the MCP SDK.
import { randomUUID } from 'node:crypto'
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { LOOPBACK } from './client.ts'

/** A program that keeps what it is told, and has a person with a browser. */
export class Program implements OAuthClientProvider {
  readonly redirectUrl = LOOPBACK
  readonly clientMetadataUrl?: string
  information: StoredOAuthClientInformation | undefined
  saved: StoredOAuthTokens | undefined
  found: OAuthDiscoveryState | undefined
  verifier = ''
  lastState = ''
  /** Where it sent the person. */
  readonly sent: URL[] = []

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
  }

  get clientMetadata(): OAuthClientMetadata {
    return { client_name: 'SDK program', redirect_uris: [LOOPBACK], token_endpoint_auth_method: 'none' }
  }

  state(): string {
    return (this.lastState = randomUUID())
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.information
  }

  saveClientInformation(information: StoredOAuthClientInformation): void {
    this.information = information
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.saved
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.saved = tokens
  }

  redirectToAuthorization(url: URL): void {
    this.sent.push(url)
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier
  }

  codeVerifier(): string {
    return this.verifier
  }

  invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (what === 'all' || what === 'tokens') this.saved = undefined
    if (what === 'all' || what === 'client') this.information = undefined
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.found = state
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.found
  }
}
