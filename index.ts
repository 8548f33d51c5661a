// Agent OS as a library: what people import as `agent-os`.
//
//   import { createKernel, defineProgram } from "agent-os";
//   const kernel = await createKernel({ programs: { echo: defineProgram(async (_sys, input) => input) } });
//   const { output } = await kernel.wait(await kernel.spawn({ agent: "echo", input: "hello" }));

export { check, defineAgent, defineProgram, pipe } from "@aos/sdk";
export * from "@aos/daemon";
export * as testing from "@aos/daemon/testing";
