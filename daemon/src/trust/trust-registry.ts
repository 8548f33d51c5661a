// TrustRegistry: which project folders are trusted, and with which content.
//
//   registry.trusted("/p", tenant)    its files as they were trusted, if the disk still has the same
//   registry.look("/p", tenant)       its content, whether that is trusted, and what changed since
//   registry.keep(record, look)       trusts what was looked at; the ledger has it first
//
// TRUST-REGISTRY-1  A folder is trusted by its real path and by the digest of everything in it that has power. Any
//     other byte, name, link or file, and it is untrusted until a person trusts it again.
// TRUST-REGISTRY-2  What is used is what was digested: bytes come from the scan or from the copy in the home,
//     never a second time from the folder.
// TRUST-REGISTRY-3  Trust belongs to one tenant. A caller limited to a tenant cannot give it: the gateway refuses.
// TRUST-REGISTRY-4  The last trusted content still decides what is denied (`lastTrusted`): overwriting a policy removes
//     nothing of it.
// TRUST-REGISTRY-5  A record counts only if it is the last entry of the signed ledger about its folder. A record that
//     was written into the file, or put back, is ignored.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LatestEntries, LedgerBacked } from "@aos/kernel";
import { canonicalText, SysError, type Json, type TrustedFolder } from "@aos/protocol";
import { isWithinFolder, statIfThere, realOf, sha256 } from "./power-entry.ts";
import { fingerprintOf, INSTRUCTIONS, OURS, scanFolder, type PowerScan } from "./power-scan.ts";
import { findTexts } from "./nested-texts.ts";
import { TrustFile, type TrustRecord } from "./trust-file.ts";

export interface FolderInspection {
  readonly scan: PowerScan;
  readonly tenant: string;
  readonly record: TrustRecord | undefined;
  readonly state: "trusted" | "changed" | "untrusted" | "nothing";
}

interface Seen {
  readonly scan: PowerScan;
  readonly fingerprint: string;
}

type Place = Pick<TrustRecord, "folder" | "tenant">;

const subjectOf = ({ folder, tenant }: Place): string => JSON.stringify([tenant, folder]);

/** What the ledger says of a folder that is trusted. */
export const trustLedgerDetail = (record: TrustRecord) => {
  const { folder, tenant, digest, entries, texts } = record;
  // As it is read from the file: whatever the order of its members.
  const stored = JSON.parse(JSON.stringify([entries, texts])) as Json;
  return { folder, tenant, digest, record: sha256(canonicalText(stored)) };
};

export class TrustRegistry implements LedgerBacked {
  readonly kinds = ["trust", "trust.remove"];
  readonly #file: TrustFile;
  readonly #seen = new Map<string, Seen>();
  /** TRUST-REGISTRY-5. */
  #unproven: ReadonlySet<string> = new Set();

  constructor(file: TrustFile) {
    this.#file = file;
  }

  readonly subjectOf = (detail: Json): string => subjectOf(detail as unknown as Place);

  /** TRUST-REGISTRY-5. */
  readonly compare = (words: LatestEntries | undefined): string[] => {
    const problems = new Map<string, string>();
    for (const record of words === undefined ? [] : this.#file.records) {
      const problem = problemWith(record, words!);
      if (problem === undefined) continue;
      const again = `\`aos trust ${record.folder}\` trusts it`;
      const what = `${record.folder} (${record.tenant}) is not trusted: ${problem}; ${again}`;
      problems.set(subjectOf(record), what);
    }
    this.#unproven = new Set(problems.keys());
    return [...problems.values()];
  };

  /** TRUST-REGISTRY-1, TRUST-REGISTRY-2. */
  readonly trusted = (place: string, tenant: string): TrustedFolder | undefined => {
    const folder = realOf(place);
    const record = folder === undefined ? undefined : this.#proven(folder, tenant);
    if (record === undefined) return undefined;
    const scan = this.#scan(record.folder);
    const isSame = scan.problems.length === 0 && scan.digest === record.digest;
    return isSame ? { ...this.#placeOf(record), files: scan.files } : undefined;
  };

  /** TRUST-REGISTRY-4. */
  readonly lastTrusted = (folder: string, tenant: string): TrustRecord | undefined =>
    this.#file.of(folder, tenant);

  /** The text of a file as it was trusted, from the copy. */
  trustedText({ digest }: TrustRecord, path: string): string {
    return readFileSync(join(this.#file.copyOf(digest), path), "utf8");
  }

  /** Whether somebody has trusted this text: instructions in a folder, of which one above may be trusted. */
  readonly trustsText = (path: string, bytes: string | Uint8Array, tenant: string): boolean => {
    const hash = sha256(bytes);
    return this.#file.records.some(
      ({ folder, texts, tenant: whose }) =>
        whose === tenant &&
        isWithinFolder(path, folder) &&
        texts[path.slice(folder.length + 1)] === hash &&
        this.#proven(folder, tenant) !== undefined,
    );
  };

  look(place: string, tenant: string): FolderInspection {
    const folder = realOf(place);
    if (folder === undefined || statIfThere(folder)?.isDirectory() !== true)
      throw new SysError("ENOENT", `the folder ${place} does not exist`);
    const scan = scanFolder(folder);
    const record = this.#proven(folder, tenant);
    return { scan, tenant, record, state: stateOf(scan, record) };
  }

  /** What `keep` is to be given, once the ledger has it. */
  recordOf({ scan, tenant }: FolderInspection, by: string): TrustRecord {
    const { folder, digest, entries, problems } = scan;
    if (problems.length > 0)
      throw new SysError("EINVAL", `${folder} cannot be trusted: ${problems.join("; ")}`);
    return {
      folder,
      tenant,
      digest,
      at: new Date().toISOString(),
      by,
      entries: [...entries],
      texts: findTexts(scan),
    };
  }

  keep(record: TrustRecord, { scan }: FolderInspection): void {
    this.#file.keep(record, scan);
    this.#unproven = new Set([...this.#unproven].filter((one) => one !== subjectOf(record)));
  }

  /** The record of a place, for `forget`. */
  find(place: string, tenant: string): TrustRecord {
    const record = this.#file.of(realOf(place) ?? place, tenant);
    if (record === undefined)
      throw new SysError("ENOENT", `${place} is not trusted`, { hint: "aos trust ls lists them" });
    return record;
  }

  forget(record: TrustRecord): void {
    this.#file.forget(record);
  }

  list(): readonly TrustRecord[] {
    return this.#file.records;
  }

  /** TRUST-REGISTRY-5. */
  #proven(folder: string, tenant: string): TrustRecord | undefined {
    return this.#unproven.has(subjectOf({ folder, tenant }))
      ? undefined
      : this.#file.of(folder, tenant);
  }

  #placeOf({ folder, digest }: TrustRecord): Omit<TrustedFolder, "files"> {
    return { folder, digest, copy: this.#file.copyOf(digest) };
  }

  /** Read again whenever anything may have changed. */
  #scan(folder: string): PowerScan {
    const known = this.#seen.get(folder);
    if (known !== undefined && fingerprintOf(known.scan) === known.fingerprint) return known.scan;
    const named = known?.scan.named ?? scanFolder(folder).named;
    // Before the bytes: what changes while they are read has another fingerprint at the next look.
    const fingerprint = fingerprintOf({ folder, named });
    const scan = scanFolder(folder);
    if (sameNames(named, scan.named)) this.#seen.set(folder, { scan, fingerprint });
    else this.#seen.delete(folder);
    return scan;
  }
}

/** That of a home. */
export const trustRegistryIn = (home: string): TrustRegistry =>
  new TrustRegistry(
    new TrustFile({ file: join(home, "trust.json"), copies: join(home, "trusted") }),
  );

function problemWith(record: TrustRecord, words: LatestEntries): string | undefined {
  const doubt = words.doubtOf(subjectOf(record));
  const word = words.of(subjectOf(record));
  if (doubt !== undefined) return doubt;
  if (word === undefined) return "nobody has trusted it";
  if (word.what === "trust.remove") return "it was taken back";
  const now = trustLedgerDetail(record);
  // Entries of earlier releases have the digest alone.
  const said: Partial<typeof now> = { ...now, ...(word.detail as unknown as typeof now) };
  return said.digest === now.digest && said.record === now.record
    ? undefined
    : "it is not what was trusted last";
}

const sameNames = (some: readonly string[], others: readonly string[]): boolean =>
  some.join("\0") === others.join("\0");

function stateOf(scan: PowerScan, record: TrustRecord | undefined): FolderInspection["state"] {
  if (record === undefined)
    return scan.entries.length + scan.problems.length === 0 ? "nothing" : "untrusted";
  return scan.problems.length === 0 && scan.digest === record.digest ? "trusted" : "changed";
}

/** The project of a place: the nearest folder, at or above, with `.agents`, else with AGENTS.md, else itself. */
export function nearestProject(place: string): string {
  const start = realOf(place) ?? place;
  return nearestWith(start, OURS) ?? nearestWith(start, INSTRUCTIONS) ?? start;
}

function nearestWith(start: string, name: string): string | undefined {
  for (let at = start; ; at = dirname(at)) {
    if (statIfThere(join(at, name)) !== undefined) return at;
    if (at === dirname(at)) return undefined;
  }
}
