import { useEffect, useState } from 'react';
import { ACCOUNT_CHANGED, ApiError } from '../api/client';
import { UNEXPECTED_ERROR } from './errors';
import { describeIssue } from './issue-texts';

const SUBMIT_AGAIN = 'Nothing was saved because the account was switched in another window. Submit again.';

interface FormErrors {
  /** Messages by field. */
  fields: Record<string, string>;
  general: string | undefined;
}

const NO_ERRORS: FormErrors = { fields: {}, general: undefined };

/** The state of a form's submission. */
export type Submission = ReturnType<typeof useSubmit>;

/** Submits a form and keeps its errors until the next submit, or until their fields change. */
export function useSubmit(hasField: (field: string) => boolean, describe = describeIssue) {
  const [errors, setErrors] = useState(NO_ERRORS);
  const [isBusy, setBusy] = useState(false);
  const [failures, setFailures] = useState(0);
  // Move the focus in an effect, because the error messages must be on the page first.
  useEffect(() => {
    if (failures > 0) focusFirstInvalidField();
  }, [failures]);

  async function submit(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setErrors(NO_ERRORS);
    try {
      await work();
    } catch (error) {
      setErrors(toErrors(error, hasField, describe));
      setFailures((count) => count + 1);
    } finally {
      setBusy(false);
    }
  }

  /** Clears the errors of fields. Call this when a field changes, because the change may fix its error. */
  const clearField = (...names: string[]) =>
    setErrors((before) => {
      if (names.every((name) => before.fields[name] === undefined)) return before;
      const fields = Object.entries(before.fields).filter(([name]) => !names.includes(name));
      return { ...before, fields: Object.fromEntries(fields) };
    });
  return { errors, isBusy, submit, clearField, clear: () => setErrors(NO_ERRORS) };
}

/** The state of a form with text fields, which are named as in the API. */
export function useForm<Name extends string>(initial: Record<Name, string>) {
  const [values, setValues] = useState(initial);
  const submission = useSubmit((field) => field in initial);
  const set = (name: Name, value: string) => {
    setValues((before) => ({ ...before, [name]: value }));
    submission.clearField(name);
  };
  /** The props of an input. */
  const bind = (name: Name) => ({
    value: values[name],
    error: submission.errors.fields[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => set(name, currentTarget.value),
  });
  const clear = () => {
    setValues(initial);
    submission.clear();
  };
  return { ...submission, values, set, bind, clear };
}

function toErrors(error: unknown, hasField: (field: string) => boolean, describe: typeof describeIssue): FormErrors {
  if (!(error instanceof ApiError)) {
    reportError(error);
    return { fields: {}, general: UNEXPECTED_ERROR };
  }
  // The page frame asks the user which account to use. The form keeps its values and can be submitted again.
  if (error.code === ACCOUNT_CHANGED) return { fields: {}, general: SUBMIT_AGAIN };
  const issues = error.details.map((issue) => ({ ...issue, ...locate(issue.field, hasField) }));
  const shown = issues.filter(({ field }) => hasField(field));
  const others = issues.filter(({ field }) => !hasField(field));
  const general = others.map((issue) => `${issue.field}: ${describe(issue)}`).join(' ');
  return {
    fields: Object.fromEntries(shown.map((issue) => [issue.field, `${issue.part}${describe(issue)}`])),
    general: error.details.length === 0 ? error.message : general || undefined,
  };
}

/**
 * Finds the input for a field, and the part of its value that has the error. For example,
 * `values.status:Sold` is a line of the input `values`.
 */
function locate(field: string, hasField: (field: string) => boolean): { field: string; part: string } {
  const [outer = '', ...part] = field.split('.');
  return hasField(field) || !hasField(outer) ? { field, part: '' } : { field: outer, part: `${part.join('.')}: ` };
}

function focusFirstInvalidField(): void {
  document.querySelector<HTMLElement>(':is(input, select, textarea)[aria-invalid="true"]')?.focus();
}
