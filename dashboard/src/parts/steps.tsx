interface StepsProps {
  names: readonly string[];
  /** The index of the current step. */
  current: number;
}

/** The steps of a task; finished ones are marked. */
export function Steps({ names, current }: StepsProps) {
  return (
    <ol className="steps">
      {names.map((name, index) => (
        <li key={name} aria-current={index === current ? 'step' : undefined} data-done={index < current || undefined}>
          <span aria-hidden>{index + 1}</span>
          {name}
        </li>
      ))}
    </ol>
  );
}
