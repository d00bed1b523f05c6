@contract
Feature: Checking without a server

  Rule: What the document itself says is checked here

    Scenario: scripts and pipelines, and what only a project knows
      Given a file "a.py":
        """
        if x
        """
      And a file "ci.yml":
        """
        credentials: { TOKEN: bot }
        jobs:
          call: { workflow: { graph: nightly } }
          a: { steps: [{ run: "true" }] }
        """
      When I call "svc check ci.yml" without the environment's target
      Then it exits with 4
      When I call "svc check --local a.py ci.yml" without the environment's target
      Then it exits with 1
      And standard output has "a.py:1:5: "
      And standard output has "(python_syntax)"
      And standard output has "ci.yml: note: only a server can say of 1:14: "
      And standard output has "ci.yml: note: only a server can say of 3:21: "
      And standard output has "ci.yml: ok"
      When I call "svc check --local --replay run_1 a.py" without the environment's target
      Then it exits with 2
