// What the pages of examples/, the README and docs/first-steps.md say to type works, and prints what they say.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestHome, ROOT, type TestHome } from "./home.ts";
import { stepsOf, typeOut } from "./page-commands.ts";

const EXAMPLES = join(ROOT, "examples");
const NEEDED = `hello approval python-agent mcp-tools policy code-fix
  research review inbox trading gardener evaluation`.split(/\s+/);
/** Its page has nothing to type but `npm start`, which quickstart.test.ts does. */
const STARTED_BY_NPM = "demo";

const names = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test("the examples that are promised are there, each with a page, and the list names all", () => {
  const list = readFileSync(join(EXAMPLES, "README.md"), "utf8");
  expect(names).toEqual(expect.arrayContaining(NEEDED));
  for (const name of names) {
    expect(existsSync(join(EXAMPLES, name, "README.md")), name).toBe(true);
    expect(list).toContain(`[${name}](${name})`);
  }
});

describe("what the page says to type works, and prints what it says:", () => {
  // One home for all, as a reader has: a page leaves nothing behind that disturbs the next.
  let home: TestHome;
  beforeAll(() => {
    home = createTestHome({ AOS_HTTP: "off" });
  });
  afterAll(async () => {
    await home.remove();
    // What their pages work on.
    for (const name of ["sums", "research", "review", "inbox", "trading", "garden"])
      rmSync(`/tmp/aos-${name}`, { recursive: true, force: true, maxRetries: 20 });
  });

  const pages = names
    .filter((name) => name !== STARTED_BY_NPM)
    .map((name) => `examples/${name}/README.md`);

  test.each(["README.md", "docs/first-steps.md", ...pages])("%s", async (path) => {
    const page = join(ROOT, path);
    expect(stepsOf(page).flatMap(({ commands }) => commands).length).toBeGreaterThan(0);

    await typeOut(page, home);
  });
});
