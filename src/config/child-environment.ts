// What a program that the gateway starts may know of the environment of the gateway: enough to run, to find the network
// and to speak the person's language, and nothing that could be a secret.
import type { RawEnvironment } from './read.ts'

/** As the MCP SDKs hand on by default, and what a program needs beside it to be found, to reach the network and to trust it. */
const HANDED_ON = words(`
  PATH HOME USER LOGNAME SHELL TERM TMPDIR TMP TEMP TZ LANG LANGUAGE
  XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME
  HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO
`)
const HANDED_ON_WINDOWS = words(`
  APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PROCESSOR_ARCHITECTURE SYSTEMDRIVE SYSTEMROOT USERNAME USERPROFILE
  PROGRAMFILES PROGRAMFILES(X86) PROGRAMDATA PATHEXT COMSPEC WINDIR
`)

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

/** The variables of the environment that every child gets, under the names they have there. */
export function childEnvironment(raw: RawEnvironment, platform: NodeJS.Platform): Record<string, string> {
  const windows = platform === 'win32'
  const names = new Set(windows ? [...HANDED_ON, ...HANDED_ON_WINDOWS].map((name) => name.toUpperCase()) : HANDED_ON)
  const found: [string, string][] = []
  for (const [name, value] of Object.entries(raw)) {
    const handed = windows ? names.has(name.toUpperCase()) : names.has(name) || name.startsWith('LC_')
    // A function of a shell: code, not a value.
    if (handed && value !== undefined && !value.startsWith('()')) found.push([name, value])
  }
  return Object.fromEntries(found)
}
