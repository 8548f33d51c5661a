// A person's yes to an act in the browser covers the hosts that were shown with it: the page, what it loads,
// where it leads. A process that has read something untrusted is asked once for each act, and not refused.

import { describe, expect, test } from "vitest";
import type { Json } from "@aos/protocol";
import { createBrowserTools } from "@aos/drivers/parts";
import { bootForTest, until } from "../../helpers/kernel.ts";
import { noChromium, useBrowser } from "./browser-rig.ts";

const RED = { integrity: "untrusted", secrecy: "public" } as const;

describe.skipIf(noChromium)("an approved act (chromium)", () => {
  const rig = useBrowser();

  test("loads, follows and sends within the hosts that were shown, and nowhere else", async () => {
    const other = await rig.site({ "/out": "elsewhere" });
    const site = await rig.site({
      "/": `<title>One</title><link rel=stylesheet href=/style.css><a id=next href=/two>next</a>`,
      "/style.css": "",
      "/two": `<title>Two</title><form action=/send><input id=name name=name><button id=go>go</button></form>
        <img src=${other.origin}/out>`,
      "/send": "<title>Sent</title>",
      "/away": (response) => {
        response.writeHead(302, { location: "/two" });
        response.end();
      },
    });
    const { kernel } = await bootForTest({
      tools: createBrowserTools(rig.runner),
      programs: {
        visitor: async (sys) => {
          const title = async (tool: string, args: Json) => {
            const { title: shown, refused } = (await sys.exec(tool, args)) as {
              title: string;
              refused: { resource: string }[];
            };
            return [shown, ...refused.map(({ resource }) => resource)].join(" ");
          };
          return [
            await title("browser.navigate", { url: `${site.origin}/` }),
            await title("browser.click", { selector: "#next" }),
            await title("browser.fill", { selector: "#name", value: "ann" }),
            await title("browser.click", { selector: "#go" }),
            await title("browser.navigate", { url: `${site.origin}/away` }),
          ];
        },
      },
    });
    const pid = await kernel.spawn({
      agent: "visitor",
      label: RED,
      capabilities: [
        "tool:browser.*:call",
        `browser:${site.host}/**:navigate,click,fill`,
        `http:${site.host}/**:get`,
      ],
    });

    const shown: (readonly string[])[] = [];
    for (let act = 0; act < 5; act++) {
      const isOver = async () => (await kernel.show(pid)).exitCode !== null;
      await until(async () => (await kernel.questions()).length === 1 || isOver(), `act ${act}`);
      const [question] = await kernel.questions();
      if (question === undefined) break;
      shown.push(question!.about!.runs!.reach);
      await kernel.answer(question!.id, { by: "ann", choice: "approve" });
    }
    const { output } = await kernel.wait(pid);

    for (const reach of shown)
      expect(reach).toEqual([
        `browser:${site.host}/**:navigate,click,fill`,
        `http:${site.host}/**:get`,
      ]);
    const titles = (output as string[]).map((text) => text.split(" ")[0]);
    expect(titles).toEqual(["One", "Two", "Two", "Sent", "Two"]);
    expect(site.paths()).toEqual(
      expect.arrayContaining(["GET /style.css", "GET /two", "GET /send?name=ann"]),
    );
    expect(other.got).toEqual([]);
  });
});
