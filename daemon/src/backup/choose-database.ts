// Where a restored home keeps its rows. What the backup's config.yaml names is the server of the home that it was made
// from: to go on from it would make two daemons of one.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { SysError } from "@aos/protocol";
import { parseDocument } from "yaml";
import type { Home } from "../home.ts";

/** The URL of a server; undefined for a file of the home. */
export function chooseDatabase(
  home: Home,
  env: Readonly<Record<string, string | undefined>>,
  asked: string | undefined,
): string | undefined {
  const config = existsSync(home.config) ? parseDocument(readFileSync(home.config, "utf8")) : null;
  const written: unknown = config?.get("database");
  const given = asked ?? env["AOS_DATABASE_URL"];
  if (given === undefined && written !== undefined)
    throw new SysError(
      "EINVAL",
      "the backup was made from a home whose config.yaml names a PostgreSQL database",
      {
        hint: "say where its rows go: --database sqlite, or --database postgres://… to an empty one",
      },
    );
  const url = given === undefined || given === "" || given === "sqlite" ? undefined : given;
  if (url !== undefined && !/^postgres(ql)?:\/\//.test(url))
    throw new SysError("EINVAL", "a database is `sqlite` or a URL postgres://…");
  if (config !== null && written !== undefined) {
    if (url === undefined) config.delete("database");
    else config.set("database", url);
    writeFileSync(home.config, config.toString(), { mode: 0o600 });
  }
  return url;
}
