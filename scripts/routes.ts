// `npm run routes`: writes what is read off the rows of the operations without loading their schemas: what a
// client needs (protocol/src/route-table.ts), and the help of the command line (protocol/src/operation-help.ts).

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderHelp, renderRoutes } from "./routes/render.ts";

const written = { "route-table.ts": renderRoutes(), "operation-help.ts": renderHelp() };
const files = Object.entries(written).map(([name, text]) => {
  const file = fileURLToPath(new URL(`../protocol/src/${name}`, import.meta.url));
  writeFileSync(file, text);
  return file;
});
process.exitCode = spawnSync("oxfmt", files, { stdio: "inherit" }).status ?? 1;
