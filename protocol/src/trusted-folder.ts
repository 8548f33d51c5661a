// Trusted folders: what drivers know about a trusted project folder.

/** A project folder that somebody trusted, as it was when its digest was taken. */
export interface TrustedFolder {
  /** Its real path. */
  readonly folder: string;
  readonly digest: string;
  /** The same files in a folder that only the daemon writes to. */
  readonly copy: string;
  /** Bytes by path from the folder: `.agents/mcp.yaml`. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Undefined for a folder that nobody has trusted as it is now. */
export type TrustLookup = (folder: string, tenant: string) => TrustedFolder | undefined;
