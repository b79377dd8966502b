import { JSON_TYPE } from '../media-types.ts';
import { type ListFormat, pickFields, toLastMembers } from './list-format.ts';

/** One object, with the listings as they are stored. */
export const jsonFormat: ListFormat = {
  mediaType: JSON_TYPE,
  contentType: JSON_TYPE,
  begin: () => '{"data":[',
  rows: (docs, fields) => (fields === undefined ? docs : docs.map((doc) => pickFields(doc, fields))),
  separator: ',',
  end: (frame) => `],${toLastMembers(frame)}`,
};
