// `npm run man`: writes docs/man: one page per system call, the commands, the tools, the metrics, the actions of security.md,
// and the catalogue of attacks.

import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ATTACKS_PAGE, renderAttacks } from "./man/attacks.ts";
import { COMMANDS_PAGE, renderCommands } from "./man/commands.ts";
import { renderAll } from "./man/render.ts";
import { renderTables } from "./man/tables.ts";

const folder = fileURLToPath(new URL("../docs/man/", import.meta.url));
const pages = new Map([...renderAll(), ...(await renderTables())])
  .set(ATTACKS_PAGE, renderAttacks())
  .set(COMMANDS_PAGE, renderCommands());
for (const name of readdirSync(folder)) if (!pages.has(name)) rmSync(join(folder, name));
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
// Tables are set by the formatter, as in every other document.
process.exitCode = spawnSync("oxfmt", [folder], { stdio: "inherit" }).status ?? 1;
