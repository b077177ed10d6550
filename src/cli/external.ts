// The server of external tools: the one that is not declared, because what it has depends on the data folder.
import { SOURCE_ID } from '../upstream/source.ts'

export const isExternal = (server: string | undefined): boolean => server === SOURCE_ID
