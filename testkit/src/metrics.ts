import assert from 'node:assert/strict';

/** A page of metrics in the text format of Prometheus. */
export interface MetricsPage {
  text: string;
  names: string[];
  /** The sum of the samples with this name and at least these labels; undefined if there are none. */
  value(name: string, labels?: Record<string, string>): number | undefined;
}

export async function readMetricsPage(address: string): Promise<MetricsPage> {
  const response = await fetch(`http://${address}/metrics`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  const samples = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text])),
    value: Number(value),
  }));
  return {
    text,
    names: [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name),
    value(name, wanted = {}) {
      const found = samples.filter(
        (sample) =>
          sample.name === name && Object.entries(wanted).every(([label, text]) => sample.labels[label] === text),
      );
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
  };
}
