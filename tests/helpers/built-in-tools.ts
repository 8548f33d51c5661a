// The tools that come with the system, over a workshop that is opened only if one of them runs a program.

import { createTools } from "@aos/drivers";
import { openProgramRunner } from "@aos/daemon/parts";

export const builtInTools = createTools(openProgramRunner({}));
