// Resources of the conformance suite.

import type {
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { PICTURE } from "./content.ts";

const text = (uri: string, words: string) => ({ uri, mimeType: "text/plain", text: words });

const contents = [
  text("test://static-text", "This is the content of the static text resource."),
  { uri: "test://static-binary", mimeType: PICTURE.mimeType, blob: PICTURE.data },
  text("test://watched-resource", "Watched resource content"),
];

export const fixtureResources: readonly Resource[] = contents.map(({ uri, mimeType }) => ({
  uri,
  name: uri.replace("test://", ""),
  description: "A fixture of the conformance suite.",
  mimeType,
}));

export const fixtureTemplates: readonly ResourceTemplateType[] = [
  {
    name: "template",
    uriTemplate: "test://template/{id}/data",
    description: "A fixture of the conformance suite.",
    mimeType: "application/json",
  },
];

export function readFixture(uri: string): ReadResourceResult | undefined {
  const found = contents.find((content) => content.uri === uri);
  if (found !== undefined) return { contents: [found] };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) return undefined;
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(data) }] };
}
