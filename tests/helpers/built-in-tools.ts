// The tools that come with the system, over a workshop that is opened only if one of them runs a program.

import { createTools } from "@aos/drivers";
import { openProgramRunner } from "../../daemon/src/program-runner-setup.ts";

export const builtInTools = createTools(openProgramRunner({}));
