// Migrate home: a home's rows from its file to a server, or back. The rest of the home stays where it is.
//
// MIGRATE-HOME-1  A file that was copied is moved aside: a daemon that is started without the new address finds that its
//     rows are gone, and does nothing, rather than going on from the old ones.
// MIGRATE-HOME-2  The copy is audited against the home's signed log before it counts as done.

import { existsSync, renameSync, statSync } from "node:fs";
import { examineStore, migrateToPostgres, migrateToSqlite } from "@aos/kernel";
import { SysError, type MigrateReport } from "@aos/protocol";
import { kernelOptionsOf, readConfig, type Config } from "../config.ts";
import type { Home } from "../home.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type OnProgress = (doing: string, done: number) => void;

interface Wish {
  /** `sqlite`, or a URL. */
  readonly to: string;
  readonly from?: string | undefined;
}

export async function migrateHome(
  home: Home,
  { to, from }: Wish,
  env: Environment,
  onProgress: OnProgress,
): Promise<MigrateReport> {
  const config = readConfig(home, env);
  const onTable = (table: string, rows: number) => onProgress(table, rows);
  if (to === "sqlite") {
    const url = from ?? config.database;
    if (url === undefined)
      throw new SysError("EINVAL", "the home is on SQLite already", {
        hint: "name the server that has its rows: --from postgres://…, or AOS_DATABASE_URL",
      });
    let findings: MigrateReport["findings"] = [];
    const report = await migrateToSqlite({
      url,
      file: home.database,
      nowMs: Date.now(),
      onProgress: onTable,
      beforeMove: async () => {
        findings = await findingsOf(home, config, { file: home.database }); // MIGRATE-HOME-2
      },
    });
    return { ...report, from: "postgres", to: home.database, findings, movedAside: null };
  }
  if (!/^postgres(ql)?:\/\//.test(to))
    throw new SysError("EINVAL", "--to is `sqlite` or a URL postgres://…");
  if (!existsSync(home.database) || statSync(home.database).size === 0)
    throw new SysError("ENOENT", `the home ${home.folder} has no database file`, {
      hint: "its rows may be on a server already: see `aos config show database`",
    });
  const report = await migrateToPostgres({ file: home.database, url: to, onProgress: onTable });
  const findings = await findingsOf(home, config, { url: to });
  const aside = `${home.database}.migrated-${Date.now()}`;
  renameSync(home.database, aside); // MIGRATE-HOME-1
  return { ...report, from: home.database, to: "postgres", findings, movedAside: aside };
}

/** MIGRATE-HOME-2. */
async function findingsOf(home: Home, config: Config, store: { file: string } | { url: string }) {
  const options = { ...kernelOptionsOf(config, home), store };
  const { audit } = await examineStore(options, { replays: false, onProgress: () => {} });
  return [...audit.findings];
}
