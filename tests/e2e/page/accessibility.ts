// Accessibility: what axe finds on a page.

import axe from "axe-core";
import type { Page } from "playwright-core";

/** In words, one for each element. */
export async function flawsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run()")) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
