// The host of a mail storm, which is killed: it says when it begins to work.

import { writeSync } from "node:fs";
import { bootStorm, ride, type MailStorm } from "./mail-storm.ts";

const storm = JSON.parse(process.argv[2]!) as MailStorm;
const kernel = await bootStorm(storm.store);
writeSync(1, "begins\n");
await ride(kernel, storm);
await kernel.close();
