// A backup of a home that no daemon runs on: the same file, and nothing is started.

import { existsSync } from "node:fs";
import { handOver, SCHEMA_VERSION } from "@aos/kernel";
import { SysError, type BackupReport } from "@aos/protocol";
import { kernelOptionsOf, readConfig } from "../config.ts";
import type { Home } from "../home.ts";
import { writeBackup } from "./write-backup.ts";

export async function backUpOffline(
  home: Home,
  { file, passphrase }: { readonly file: string; readonly passphrase: string },
  env: Readonly<Record<string, string | undefined>>,
  onProgress: (doing: string, done: number) => void,
): Promise<BackupReport> {
  const config = readConfig(home, env);
  if (config.database === undefined && !existsSync(home.database))
    throw new SysError("ENOENT", `the home ${home.folder} has no database yet`, {
      hint: "nothing has run in it",
    });
  const options = kernelOptionsOf(config, home);
  return writeBackup({ backUp: (sink) => handOver(options, sink) }, home, {
    file,
    passphrase,
    schema: SCHEMA_VERSION,
    onProgress: ({ doing, bytes }) => onProgress(doing, bytes),
  });
}
