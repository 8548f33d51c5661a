// Fixtures that answer with every kind of content, with words on the way, or with a failure.

import type { ServerContext, Tool } from "@modelcontextprotocol/server";
import { PICTURE, SOUND } from "./content.ts";
import { type Fixture, fixture, said } from "./fixture.ts";

const image = { type: "image", ...PICTURE } as const;
const resource = (uri: string, mimeType: string, text: string) =>
  ({ type: "resource", resource: { uri, mimeType, text } }) as const;

const log = ({ mcpReq }: ServerContext, data: string) =>
  mcpReq.notify({ method: "notifications/message", params: { level: "info", data } });

/** The words of JSON Schema that must arrive as they were written. */
const everyWord = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
} as unknown as Tool["inputSchema"];

export const contentTools: readonly Fixture[] = [
  fixture("test_simple_text", () => said("This is a simple text response for testing.")),
  fixture("test_image_content", () => ({ content: [image] })),
  fixture("test_audio_content", () => ({ content: [{ type: "audio", ...SOUND }] })),
  fixture("test_embedded_resource", () => ({
    content: [
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ],
  })),
  fixture("test_multiple_content_types", () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  })),
  fixture("test_error_handling", () => ({
    ...said("This tool intentionally returns an error for testing"),
    isError: true,
  })),
  fixture("test_tool_with_logging", async (context) => {
    for (const step of ["started", "processing data", "completed"])
      await log(context, `Tool execution ${step}`);
    return said("Tool with logging executed successfully");
  }),
  fixture("test_tool_with_progress", async ({ mcpReq }) => {
    const { progressToken } = mcpReq["_meta"] ?? {};
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      const params = { progressToken, progress, total: 100, message: `${progress} of 100` };
      await mcpReq.notify({ method: "notifications/progress", params });
    }
    return said(String(progressToken ?? "no progress token"));
  }),
  // Told only to who asked for a level of log.
  fixture("test_logging_tool", async ({ mcpReq }) => {
    await mcpReq.log("info", "the logging tool ran");
    return said("It was logged for who asked for it");
  }),
  fixture("test_streaming_elicitation", () => said("Nothing is asked for beside the result")),
  fixture(
    "json_schema_2020_12_tool",
    (_context, args) => said(`Called with ${JSON.stringify(args)}`),
    everyWord,
  ),
];
