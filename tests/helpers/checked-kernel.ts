// For tests whose kernels are booted by somebody else: the same module, whose kernels are judged by the
// reference before they are closed. A kernel that is booted again in the same test goes on from what the
// one before was told.
//
//   vi.mock("@aos/kernel", async (original) =>
//     (await import("../helpers/checked-kernel.ts")).checkedModule(original));

import type * as kernel from "@aos/kernel";
import type { Dynasty } from "./reference.ts";

type Module = typeof kernel;

/** `except` begins the names of tests that change what is recorded on purpose. */
export async function checkedModule(
  original: () => Promise<unknown>,
  except?: string,
): Promise<Module> {
  const real = (await original()) as Module;
  let test: string | undefined;
  let before: Dynasty | undefined;
  const bootKernel: Module["bootKernel"] = async (given) => {
    const options = given ?? {};
    // Only now: they need this module themselves.
    const { expect } = await import("vitest");
    const { Dynasty, judgedWhenClosed } = await import("./reference.ts");
    const { currentTestName } = expect.getState();
    if (except !== undefined && currentTestName?.startsWith(except) === true)
      return real.bootKernel(options);
    const dynasty = new Dynasty(options, test === currentTestName ? before : undefined);
    [test, before] = [currentTestName, dynasty];
    return judgedWhenClosed(await real.bootKernel(options), dynasty);
  };
  return { ...real, bootKernel };
}
