// Define program: types a function as a program and refuses anything else.

import { SysError, type Program } from "@aos/protocol";

export function defineProgram(program: Program): Program {
  if (typeof program === "function") return program;
  throw new SysError("EINVAL", "a program is a function: async (sys, input) => …");
}
