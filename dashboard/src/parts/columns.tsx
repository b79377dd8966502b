import { formatNumber } from '../lib/format';
import type { Column } from './data-table';
import { Time } from './time';

type Field<Row> = keyof Row & string;
type Rest<Row> = Partial<Column<Row>>;

/** A column that shows a field's times, or `none` for rows without a time. */
export function timeColumn<Row>(label: string, field: Field<Row>, rest: Rest<Row> = {}, none = ''): Column<Row> {
  const cell = ({ [field]: at }: Row) => (typeof at === 'string' ? <Time at={at} /> : none);
  return { label, width: 140, from: 'medium', sortBy: field, cell, ...rest };
}

/** A column that shows a field's numbers. */
export function countColumn<Row>(label: string, field: Field<Row>, rest: Rest<Row> = {}): Column<Row> {
  const cell = ({ [field]: count }: Row) => formatNumber(Number(count));
  return { label, width: 104, from: 'medium', isNumber: true, sortBy: field, cell, ...rest };
}

/** A column that shows a field's values as text, or `none` for rows without a value. */
export function textColumn<Row>(label: string, field: Field<Row>, rest: Rest<Row> = {}, none = ''): Column<Row> {
  const cell = ({ [field]: value }: Row) => {
    const text = String(value ?? none);
    return <bdi title={text}>{text}</bdi>;
  };
  return { label, width: 140, sortBy: field, cell, ...rest };
}
