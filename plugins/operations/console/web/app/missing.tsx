import { Link } from '@tanstack/react-router';

export const Missing = () => (
  <main className="alone">
    <section className="panel">
      <h1>Page not found</h1>
      <p>
        Nothing exists at this address. <Link to="/">Back to the project</Link>
      </p>
    </section>
  </main>
);
