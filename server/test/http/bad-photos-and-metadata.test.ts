import { describe } from 'node:test';
import { startSharedService } from '../../../testkit/src/service.ts';
import { type Refusal, testRefusals } from '../support/refusals.ts';

const service = await startSharedService();

function invalid(field: string, value: unknown, ...faults: string[]): Refusal {
  const json = JSON.stringify(value);
  return {
    name: `${field} ${json.length > 60 ? `${json.slice(0, 60)}…` : json} → ${faults[0]}`,
    body: `{"address":"12 Elm Street","beds":3,"baths":2,"${field}":${json}}`,
    status: 422,
    code: 'validation_failed',
    faults,
  };
}

const PHOTO = { url: 'https://a.example/front.jpg' };
const url = (text: string) => [PHOTO, PHOTO, { url: text }];
const metadata = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name${index}`, 1]));

describe('photos are at most 100 objects with an https URL and an optional caption', () => {
  testRefusals(service, [
    invalid('photos', 'https://a.example/1', 'photos: invalid_type'),
    invalid('photos', { 0: PHOTO }, 'photos: invalid_type'),
    invalid('photos', Array(101).fill(PHOTO), 'photos: too_long'),
    invalid('photos', [...Array(100).fill(PHOTO), 1], 'photos: too_long', 'photos[100]: invalid_type'),
    invalid('photos', [...Array(2000).fill(PHOTO), ...Array(200).fill(1)], 'photos: too_long'),
    invalid('photos', [PHOTO, null], 'photos[1]: invalid_type'),
    invalid('photos', ['https://a.example/1'], 'photos[0]: invalid_type'),
    invalid('photos', [[PHOTO]], 'photos[0]: invalid_type'),
    invalid('photos', [{}], 'photos[0].url: required'),
    invalid('photos', [{ caption: 'Front' }], 'photos[0].url: required'),
    invalid('photos', [{ url: null }], 'photos[0].url: invalid_type'),
    invalid('photos', [{ url: 1 }, { url: [] }], 'photos[0].url: invalid_type', 'photos[1].url: invalid_type'),
    invalid('photos', url(' '), 'photos[2].url: blank'),
    invalid('photos', url('http://a.example/1'), 'photos[2].url: invalid_format'),
    invalid('photos', url('//a.example/1'), 'photos[2].url: invalid_format'),
    invalid('photos', url('/front.jpg'), 'photos[2].url: invalid_format'),
    invalid('photos', url('javascript:alert(1)'), 'photos[2].url: invalid_format'),
    invalid('photos', url('data:image/png;base64,AAAA'), 'photos[2].url: invalid_format'),
    invalid('photos', url('https:a.example'), 'photos[2].url: invalid_format'),
    invalid('photos', url('https://'), 'photos[2].url: invalid_format'),
    invalid('photos', url('https://a b/1'), 'photos[2].url: invalid_format'),
    invalid('photos', url('https://a.example:99999/1'), 'photos[2].url: invalid_format'),
    invalid('photos', url('https://a.example/\n1'), 'photos[2].url: invalid_format'),
    invalid('photos', url(`https://a.example/${'x'.repeat(1983)}`), 'photos[2].url: too_long'),
    invalid('photos', [{ ...PHOTO, caption: '' }], 'photos[0].caption: blank'),
    invalid('photos', [{ ...PHOTO, caption: 1 }], 'photos[0].caption: invalid_type'),
    invalid('photos', [{ ...PHOTO, caption: 'x'.repeat(201) }], 'photos[0].caption: too_long'),
    invalid('photos', [{ ...PHOTO, caption: 'a\u0000b' }], 'photos[0].caption: invalid_format'),
    invalid('photos', [{ ...PHOTO, caption: 'a\ud800' }], 'photos[0].caption: invalid_format'),
    invalid('photos', [{ ...PHOTO, alt: 'x' }], 'photos[0].alt: unknown_field'),
  ]);
});

describe('metadata is at most 50 named strings, numbers, or booleans', () => {
  testRefusals(service, [
    invalid('metadata', [], 'metadata: invalid_type'),
    invalid('metadata', 'a', 'metadata: invalid_type'),
    invalid('metadata', metadata(51), 'metadata: too_long'),
    invalid('metadata', { ...metadata(50), a: [] }, 'metadata: too_long', 'metadata.a: invalid_type'),
    invalid('metadata', { ...metadata(51), a: [] }, 'metadata: too_long'),
    invalid('metadata', { a: null }, 'metadata.a: invalid_type'),
    invalid('metadata', { a: {}, b: [], c: 1 }, 'metadata.a: invalid_type', 'metadata.b: invalid_type'),
    invalid('metadata', { a: 'x'.repeat(501) }, 'metadata.a: too_long'),
    invalid('metadata', { a: '😀'.repeat(501) }, 'metadata.a: too_long'),
    invalid('metadata', { a: 'a\nb' }, 'metadata.a: invalid_format'),
    invalid('metadata', { a: '\u0000' }, 'metadata.a: invalid_format'),
    invalid('metadata', { a: '\ud800' }, 'metadata.a: invalid_format'),
    invalid('metadata', { '': 1 }, 'metadata.: blank'),
    invalid('metadata', { '  ': 1 }, 'metadata.  : blank'),
    invalid('metadata', { ['n'.repeat(41)]: 1 }, `metadata.${'n'.repeat(41)}: too_long`),
    invalid('metadata', { 'a\tb': 1 }, 'metadata.a\tb: invalid_format'),
    invalid('metadata', { a: 1, ' a ': 2 }, 'metadata. a : duplicate'),
    invalid('metadata', { a: [], ' a': 1 }, 'metadata.a: invalid_type', 'metadata. a: duplicate'),
    invalid('metadata', { a: null, ' a': [] }, 'metadata.a: invalid_type', 'metadata. a: duplicate'),
    invalid('metadata', { '\u00e9': 1, 'e\u0301': 2 }, 'metadata.e\u0301: duplicate'),
    invalid('metadata', JSON.parse('{"__proto__":1}'), 'metadata.__proto__: invalid_format'),
    {
      ...invalid('metadata', {}, 'metadata.a: out_of_range'),
      name: 'a number that a double cannot hold → out_of_range',
      body: '{"address":"12 Elm Street","beds":3,"baths":2,"metadata":{"a":9007199254740993}}',
    },
  ]);
});
