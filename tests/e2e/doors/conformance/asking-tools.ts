// Fixtures that ask the client something while they run, as revision 2025-11-25 has it.

import type { ServerContext } from "@modelcontextprotocol/server";
import { type Fixture, fixture, said, takesText } from "./fixture.ts";

async function asked(
  { mcpReq }: ServerContext,
  message: string,
  properties: object,
  required: string[] = [],
) {
  const requestedSchema = { type: "object", properties, required };
  // As it comes: what the suite's client answers is not what it was asked for.
  const { action, content = {} } = await mcpReq.send({
    method: "elicitation/create",
    params: { mode: "form", message, requestedSchema },
  });
  return said(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
}

const options = (word: string) => [1, 2, 3].map((n) => `${word}${n}`);
const titled = (title: string) =>
  ["First", "Second", "Third"].map((nth, n) => ({
    const: `value${n + 1}`,
    title: `${nth} ${title}`,
  }));

const defaults = {
  name: { type: "string", description: "User name", default: "John Doe" },
  age: { type: "integer", description: "User age", default: 30 },
  score: { type: "number", description: "User score", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", description: "Verification status", default: true },
};

const enums = {
  untitledSingle: { type: "string", enum: options("option") },
  titledSingle: { type: "string", oneOf: titled("Option") },
  legacyEnum: {
    type: "string",
    enum: options("opt"),
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { type: "string", enum: options("option") } },
  titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
};

export const askingTools: readonly Fixture[] = [
  fixture(
    "test_sampling",
    async ({ mcpReq }, { prompt }) => {
      const { content } = await mcpReq.requestSampling({
        messages: [{ role: "user", content: { type: "text", text: String(prompt) } }],
        maxTokens: 100,
      });
      const [first] = [content].flat();
      return said(`LLM response: ${first?.type === "text" ? first.text : "none"}`);
    },
    takesText("prompt"),
  ),
  fixture(
    "test_elicitation",
    (context, { message }) =>
      asked(context, String(message), { response: { type: "string" } }, ["response"]),
    takesText("message"),
  ),
  fixture("test_elicitation_sep1034_defaults", (context) =>
    asked(context, "Please look at the fields and their defaults", defaults),
  ),
  fixture("test_elicitation_sep1330_enums", (context) =>
    asked(context, "Please choose in the fields", enums),
  ),
];
