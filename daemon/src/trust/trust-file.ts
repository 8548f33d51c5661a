// Trust file: the trusted folders, in the home; and, beside it, a copy of what was trusted.
//
// TRUST-FILE-1  Only its owner can read the file, and it is written whole or not at all. An invalid file is an error.
// TRUST-FILE-2  A copy is made before the record that refers to it. It has the digested bytes.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SysError } from "@aos/protocol";
import { z } from "zod";
import type { PowerScan } from "./power-scan.ts";

const entry = z.strictObject({
  path: z.string(),
  kind: z.enum(["file", "link", "folder"]),
  isExecutable: z.boolean(),
  size: z.number(),
  hash: z.string(),
  target: z.string().optional(),
});

const record = z.strictObject({
  folder: z.string(),
  tenant: z.string(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.string(),
  by: z.string(),
  entries: z.array(entry),
  /** Instructions in the folder and below it: sha256 by path. */
  texts: z.record(z.string(), z.string()),
});

const schema = z.strictObject({ version: z.literal(1), trusted: z.array(record) });

export type TrustRecord = z.output<typeof record>;

export class TrustFile {
  readonly #file: string;
  readonly #copies: string;
  #records: TrustRecord[];

  constructor({ file, copies }: { readonly file: string; readonly copies: string }) {
    this.#file = file;
    this.#copies = copies;
    this.#records = readRecords(file);
  }

  get records(): readonly TrustRecord[] {
    return this.#records;
  }

  of(folder: string, tenant: string): TrustRecord | undefined {
    return this.#records.find((one) => one.folder === folder && one.tenant === tenant);
  }

  /** TRUST-FILE-2. */
  keep(kept: TrustRecord, scan: PowerScan): void {
    this.#copy(scan);
    const others = this.#records.filter((one) => !isSame(one, kept));
    this.#write([...others, kept].toSorted((a, b) => (a.folder < b.folder ? -1 : 1)));
  }

  forget(gone: Pick<TrustRecord, "folder" | "tenant">): void {
    this.#write(this.#records.filter((one) => !isSame(one, gone)));
  }

  /** Where the copy of what was trusted is. */
  copyOf(digest: string): string {
    return join(this.#copies, digest);
  }

  /** TRUST-FILE-1. */
  #write(records: TrustRecord[]): void {
    const text = `${JSON.stringify({ version: 1, trusted: records }, undefined, 2)}\n`;
    writeFileSync(`${this.#file}.new`, text, { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
    const left = new Set(records.map(({ digest }) => digest));
    for (const { digest } of this.#records)
      if (!left.has(digest)) rmSync(this.copyOf(digest), { recursive: true, force: true });
    this.#records = records;
  }

  #copy({ digest, entries, files }: PowerScan): void {
    const copy = this.copyOf(digest);
    if (existsSync(copy)) return;
    mkdirSync(this.#copies, { recursive: true, mode: 0o700 });
    const made = mkdtempSync(join(this.#copies, "new-"));
    for (const { path, kind, isExecutable, target } of entries) {
      const at = join(made, path);
      mkdirSync(kind === "folder" ? at : dirname(at), { recursive: true, mode: 0o755 });
      if (kind === "link") symlinkSync(target!, at);
      if (kind === "file")
        writeFileSync(at, files.get(path)!, { mode: isExecutable ? 0o555 : 0o444 });
    }
    // Programs in the sandbox read it as another user; nobody else gets as far as this folder.
    chmodSync(made, 0o755);
    renameSync(made, copy);
  }
}

const isSame = (
  one: Pick<TrustRecord, "folder" | "tenant">,
  other: Pick<TrustRecord, "folder" | "tenant">,
): boolean => one.folder === other.folder && one.tenant === other.tenant;

function readRecords(file: string): TrustRecord[] {
  try {
    return schema.parse(JSON.parse(readFileSync(file, "utf8"))).trusted;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw new SysError("EINVAL", `${file} is not a list of trusted folders`, {
      hint: "remove it: no folder is trusted then, and `aos trust DIR` trusts one again",
    });
  }
}
