import { describe, expect, test } from "vitest";
import { eventInput } from "./event-input.ts";

const event = { id: "1", body: { ref: "main", commits: [{ by: "ann" }], quote: "{event.id}" } };

describe("the input of a run that an event starts", () => {
  test("is the event where the schedule says nothing", () => {
    expect(eventInput(undefined, event)).toEqual(event);
  });

  test("has values in place of whole texts, and text within others (EVENT-INPUT-1)", () => {
    const input = { "{event.id}": ["{event.body}", "to {event.body.ref} by {event.body.commits}"] };

    expect(eventInput(input, event)).toEqual({
      "{event.id}": [event.body, 'to main by [{"by":"ann"}]'],
    });
  });

  test("never reads what the event says as a placeholder (EVENT-INPUT-1)", () => {
    expect(eventInput("> {event.body.quote}", event)).toBe("> {event.id}");
    expect(eventInput("{event.body.quote}", event)).toBe("{event.id}");
  });

  test("fails where a placeholder names nothing, also what every object has (EVENT-INPUT-2)", () => {
    for (const path of ["body.sha", "body.constructor", "id.length", "body.commits.0.by.x"])
      expect(() => eventInput(`{event.${path}}`, event), path).toThrow(`the event has no ${path}`);
    expect(eventInput("{event.body.commits.0.by}", event)).toBe("ann");
  });
});
