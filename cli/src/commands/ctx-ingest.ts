import { realpath, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { SysError } from "@aos/protocol/failures";
import type { Command } from "../command.ts";
import { syncCollection, type SyncReport } from "../ingest/sync-collection.ts";
import { printable } from "../printable.ts";
import { startProgress } from "../progress.ts";
import { readNumberOption } from "../read-number.ts";

const USUAL_MB = 2;
/** The arguments of a call are limited to 16 MB. */
const MOST_MB = 12;

interface Target {
  readonly root: string;
  readonly only?: readonly string[];
}

const command: Command = async ({ args, client, options, out }) => {
  const maxMb = readNumberOption(options.text("maxSize"), "--max-size") ?? USUAL_MB;
  if (maxMb < 1 || maxMb > MOST_MB)
    throw new SysError("EINVAL", `--max-size must be between 1 and ${MOST_MB} (megabytes)`);
  const targets = await targetsOf(args);
  const given = options.text("name");
  if (given !== undefined && targets.length > 1)
    throw new SysError("EINVAL", "--name is for one folder: several would share its paths", {
      hint: "ingest each folder on its own",
    });
  const progress = startProgress(out, "ingest", { unit: "files" });
  const collections: SyncReport[] = [];
  try {
    for (const target of targets) {
      const name = given ?? nameFor(target.root);
      collections.push(
        await syncCollection(client, {
          ...target,
          name,
          label: options.flag("trusted") ? "trusted/public" : "untrusted/public",
          tenant: options.text("tenant"),
          isDryRun: options.flag("dryRun"),
          maxBytes: maxMb * 1024 * 1024,
          onProgress: (done, total, file) => progress.at(done, total, file),
        }),
      );
    }
  } finally {
    progress.stop();
  }
  await out.data({ collections }, () =>
    collections.map((one) => shown(one, out.isWide)).join("\n"),
  );
};

/** Folders, and the files of one folder together. */
async function targetsOf(paths: readonly string[]): Promise<Target[]> {
  const folders: Target[] = [];
  const files = new Map<string, string[]>();
  for (const path of paths) {
    const real = await realpath(path).catch(() => {
      throw new SysError("ENOENT", `there is no file or folder ${path}`);
    });
    if ((await stat(real)).isDirectory()) folders.push({ root: real });
    else files.set(dirname(real), [...(files.get(dirname(real)) ?? []), basename(real)]);
  }
  return [...folders, ...[...files].map(([root, only]) => ({ root, only }))];
}

function nameFor(root: string): string {
  const name = basename(root)
    .replaceAll(/[^\p{L}\p{N}_.@ -]/gu, "-")
    .replace(/^[^\p{L}\p{N}_@]+/u, "")
    .slice(0, 100);
  if (name !== "") return name;
  throw new SysError("EINVAL", `${root} has no name for a collection`, { hint: "pass --name" });
}

function shown(report: SyncReport, isWide: boolean): string {
  const { name, path, added, changed, unchanged, removed, bytes, skipped, dryRun } = report;
  const lines = [
    `${printable(name)}: ${added} added, ${changed} changed, ${unchanged} unchanged, ${removed} forgotten (${megabytes(bytes)} ${dryRun ? "would be sent" : "sent"})`,
    `  agents search it below ${printable(path)}`,
  ];
  if (skipped.length === 0) return lines.join("\n");
  const reasons = Map.groupBy(skipped, ({ reason }) => reason);
  const sums = [...reasons].map(([reason, files]) => `${files.length} ${reason}`).join(", ");
  lines.push(`  left out: ${sums}${isWide ? "" : " (-o wide lists them)"}`);
  if (isWide)
    for (const { file, reason, detail } of skipped)
      lines.push(
        `    ${reason}: ${printable(file)}${detail === undefined ? "" : ` (${printable(detail)})`}`,
      );
  return lines.join("\n");
}

const megabytes = (bytes: number): string =>
  bytes < 100_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

export default command;
