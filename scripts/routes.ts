// `npm run routes`: writes protocol/src/route-table.ts, what a client needs of the rows of the operations.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderRoutes } from "./routes/render.ts";

const file = fileURLToPath(new URL("../protocol/src/route-table.ts", import.meta.url));
writeFileSync(file, renderRoutes());
process.exitCode = spawnSync("oxfmt", [file], { stdio: "inherit" }).status ?? 1;
