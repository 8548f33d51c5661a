// The process that is killed while a fleet works: items are sent, begun, finished and given up, and a new version is
// rolled out. Started again it goes on with what is missing.
//
//   node --import ./kill-switch.program.ts fleet.program.ts FOLDER

import { writeSync } from "node:fs";
import { carryFleet, bootFleetHost } from "./fleet-host.ts";

const kernel = await bootFleetHost(process.argv[2]!);
await carryFleet(kernel);
await kernel.close();
writeSync(1, "over\n");
