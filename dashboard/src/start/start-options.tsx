import { Field, inputStyle } from "../parts/field.tsx";
import type { StartChoices } from "./start-request.ts";

/** The choices of the form beside agent and input. */
export function StartOptions(props: {
  choices: StartChoices;
  onChange: (choices: StartChoices) => void;
}) {
  const { choices, onChange } = props;
  return (
    <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
      <label className="flex items-baseline gap-2">
        <input
          type="checkbox"
          checked={choices.stays}
          onChange={({ target }) => onChange({ ...choices, stays: target.checked })}
        />
        Talk with it: it stays, and answers message by message
      </label>
      {choices.stays ? null : (
        <label className="flex items-baseline gap-2">
          <input
            type="checkbox"
            checked={choices.isJson}
            onChange={({ target }) => onChange({ ...choices, isJson: target.checked })}
          />
          The input is JSON
        </label>
      )}
      <div className="w-40">
        <Field name="Budget, USD">
          <input
            inputMode="decimal"
            value={choices.usd}
            placeholder="its manifest's"
            className={inputStyle}
            onChange={({ target }) => onChange({ ...choices, usd: target.value })}
          />
        </Field>
      </div>
    </div>
  );
}
