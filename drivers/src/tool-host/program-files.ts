// Program files of a folder, each parsed separately: an invalid one does not affect the others.

import { join } from "node:path";
import type { Tool } from "@aos/protocol";
import { ProgramFileFlaw, readProgramFile } from "../tools/programs/program-file.ts";
import { programTool } from "../tools/programs/program-tools.ts";
import type { ProgramRunner } from "../tools/program-runner.ts";
import { readRegular } from "./project-files.ts";

export interface ProgramFiles {
  readonly tools: readonly Tool[];
  readonly flaws: readonly string[];
}

export function readPrograms(
  runner: ProgramRunner,
  folder: string,
  names: readonly string[],
  read: (name: string) => string = (name) => readRegular(join(folder, name)),
): ProgramFiles {
  const tools: Tool[] = [];
  const flaws: string[] = [];
  for (const name of names) {
    const file = join(folder, name);
    try {
      tools.push({
        ...programTool(runner, readProgramFile(read(name), file)),
        source: "program",
      });
    } catch (error) {
      const { message } = error as Error;
      flaws.push(error instanceof ProgramFileFlaw ? message : `${file}: ${message}`);
    }
  }
  return { tools, flaws };
}
