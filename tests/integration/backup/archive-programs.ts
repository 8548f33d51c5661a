// Programs of runs that are archived.

import type { Program } from "@aos/protocol";

const LARGE = "x".repeat(100_000);

/** With a value that is stored apart. */
const quick: Program = async (sys, input) => {
  await sys.write("/mem/working/large", `${LARGE}${JSON.stringify(input)}`);
  return (await sys.read("/mem/working/large")) as string;
};

/** Ends after its child, and once it was told so. */
const parent: Program = async (sys) => {
  const child = await sys.spawn("quick", "of a parent", {
    capabilities: ["memory:/mem/working/**:read,write"],
  });
  await sys.wait(child);
  await sys.receive();
  return child;
};

export const own = { quick, parent };
