import type { ListingFieldName } from '../../api/types';
import { FORM_FIELDS } from './form-fields';

/** The columns of exports and of the template. */
export const COLUMNS: ListingFieldName[] = [...FORM_FIELDS.map(({ name }) => name), 'photos', 'metadata'];

/** A CSV file with all columns and no rows. */
export function makeTemplate(): string {
  return `${COLUMNS.join(',')}\r\n`;
}
