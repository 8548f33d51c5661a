// SDK: for people who write agents in TypeScript that run beside the daemon, in their own process.
//
//   import { runProgram } from "agent-os/sdk";
//   runProgram(async (sys, input) => {
//     await sys.write("/mem/working/input", input);
//     return { seenAt: await sys.now() };
//   });

export { defineAgent } from "./define-agent.ts";
export { defineProgram } from "./define-program.ts";
export { check, pipe } from "./pipe.ts";
export { runProgram } from "./run-program.ts";
export { SysError, type FailureCode, type Json, type Program, type Sys } from "@aos/protocol";
