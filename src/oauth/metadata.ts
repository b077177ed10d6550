// The documents clients discover us by. Pure.

/** RFC 8414 §2 together with what OpenID Connect Discovery §3 requires, so that one document serves both. */
export function authorizationServerMetadata(issuer: string, scopes: readonly string[]): object {
  const methods = ['none', 'client_secret_basic', 'client_secret_post']
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    introspection_endpoint: `${issuer}/introspect`,
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: [...scopes, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods.slice(1),
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  }
}

export interface ResourceFacts {
  /** Exactly the URL that a client calls. */
  readonly resource: string
  readonly issuer: string
  readonly scopes: readonly string[]
  readonly name: string
}

/** RFC 9728 §2. */
export function protectedResourceMetadata({ resource, issuer, scopes, name }: ResourceFacts): object {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: name,
  }
}
