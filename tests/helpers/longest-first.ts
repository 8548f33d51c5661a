// LongestFirst: the order of the test files. What takes long begins first, so that no worker is left alone with it at
// the end. Without a cache, as in a clean checkout, vitest itself goes by the size of files.

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Those above half a minute, the longest first; a name that is not here costs time and nothing else. */
const LONGEST = [
  "tests/crash/every-commit.deep.test.ts",
  "tests/attack/holes.deep.test.ts",
  "tests/package/deb.deep.test.ts",
  "tests/crash/archive.deep.test.ts",
  "tests/package/package.deep.test.ts",
  "tests/package/empty-machine.deep.test.ts",
  "tests/integration/audit/tampering.deep.test.ts",
  "tests/crash/mail-storm.deep.test.ts",
  "tests/crash/python.deep.test.ts",
  "tests/attack/catalogue.test.ts",
  "tests/contract/store.test.ts",
  "tests/e2e/quickstart.test.ts",
  "tests/e2e/dashboard.deep.test.ts",
  "tests/e2e/authority/approvals.deep.test.ts",
  "tests/e2e/cli.test.ts",
  "tests/integration/admission/ttl.deep.test.ts",
  "tests/e2e/daemon.test.ts",
  "tests/integration/kernel/stop.deep.test.ts",
  "tests/e2e/service.test.ts",
  "tests/e2e/tools/tools.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return at === -1 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
