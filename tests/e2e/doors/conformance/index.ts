// What the conformance suite (@modelcontextprotocol/conformance) wants to find on a server. Given to the desk
// of a test; a daemon has no way to have them.

import type { ServerEvent } from "@modelcontextprotocol/server";
import type { Fixtures } from "../../../../daemon/src/mcp-server/fixtures.ts";
import { askingTools } from "./asking-tools.ts";
import { contentTools } from "./content-tools.ts";
import { fixture, said } from "./fixture.ts";
import { addPrompts } from "./prompts.ts";
import { fixtureResources, fixtureTemplates, readFixture } from "./resources.ts";
import { roundTools, sealed } from "./round-tools.ts";

/** `publish` tells those who listen that a list changed; none of them really does. */
export function conformanceFixtures(publish: (event: ServerEvent) => void): Fixtures {
  const changed = (name: string, kind: "tools_list_changed" | "prompts_list_changed") =>
    fixture(name, () => {
      publish({ kind });
      return said(`${kind} was published`);
    });
  return {
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      logging: {},
    },
    options: { requestState: { verify: (state, context) => sealed.verify(state, context) } },
    tools: [
      ...contentTools,
      ...askingTools,
      ...roundTools,
      changed("test_trigger_tool_change", "tools_list_changed"),
      changed("test_trigger_prompt_change", "prompts_list_changed"),
    ],
    resources: fixtureResources,
    templates: fixtureTemplates,
    read: readFixture,
    addTo: addPrompts,
  };
}
