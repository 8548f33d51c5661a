// Define program: gives a function the type of a program, and refuses anything else at once.

import { SysError, type Program } from "@aos/protocol";

export function defineProgram(program: Program): Program {
  if (typeof program === "function") return program;
  throw new SysError("EINVAL", "a program is a function: async (sys, input) => …");
}
