Feature: Jobs that run another workflow

  Rule: A workflow job waits for a run of its own

    @SCR-003
    Scenario: a script beside the pipeline, with input, variables and a credential
      Given the credential "bot" is '{"kind": "bearer", "token": "long-enough"}'
      And a file "ship.sh":
        """
        svc sleep 20ms
        version=$(python3 -c 'import json, os; print(json.load(open(os.environ["SVC_INPUT_FILE"]))["input"]["version"])')
        svc output set shipped="$version $COLOR ${#TOKEN}"
        """
      And a file "ci.yml":
        """
        outputs: { text: "${{ jobs.ship.outputs.shipped }}" }
        env: { COLOR: red }
        jobs:
          build:
            steps: [{ id: v, run: 'echo version=1.2 >> "$SVC_OUTPUT"' }]
            outputs: { version: "${{ steps.v.output.version }}" }
          ship:
            needs: build
            workflow: ./ship.sh
            credentials: { TOKEN: bot }
            with: { version: "${{ jobs.build.outputs.version }}" }
        """
      When I submit "{folder}/ci.yml" with the CLI as "it"
      Then the run succeeds
      And "output.text" of the run is "1.2 red 11"
      When I send "GET" to "{scoped}/runs?workflow=ship.sh"
      Then the answer lists 1 "runs"
      And "runs.0.kind" of the answer is "script"
      And "runs.0.parent" of the answer is "{run}"

    @contract
    Scenario: a pipeline that runs a pipeline, once for each combination
      Given a file "sub/one.yml":
        """
        outputs: { text: "${{ jobs.a.outputs.n }}" }
        jobs:
          a:
            env: { N: "${{ input.n }}" }
            steps: [{ id: s, run: 'echo "n=<$N>" >> "$SVC_OUTPUT"' }]
            outputs: { n: "${{ steps.s.output.n }}" }
        """
      And a file "ci.yml":
        """
        outputs: { all: "${{ jobs.each.all.map(x, x.text) }}" }
        jobs:
          each: { workflow: sub/one.yml, strategy: { matrix: { n: [1, 2] } }, with: { n: "${{ matrix.n }}" } }
        """
      When I submit "{folder}/ci.yml" with the CLI as "it"
      Then the run succeeds
      And "output.all" of the run is '["<1>","<2>"]'

    @contract
    Scenario: the child fails, and the job with it
      When I submit the pipeline:
        """
        files: { "bad.sh": "exit 3" }
        jobs: { bad: { workflow: ./bad.sh } }
        """
      Then the run fails with code "wait_failed"
      And the run fails and its error has "exit code 3"

    @contract
    Scenario: a cancel reaches the child
      When I submit the pipeline:
        """
        files: { "slow.sh": "svc wait-signal never" }
        jobs: { slow: { workflow: slow.sh } }
        """
      Then the run waits for "child" "slow.sh"
      When I cancel the run because "wrong branch"
      Then the run is "cancelled"
      And the project comes to rest

  @contract
  Rule: The child is checked with the pipeline

    Scenario Outline: <what>
      When I check the pipeline:
        """
        <text>
        """
      Then it has the problem "<part>" at "<place>"

      Examples:
        | what                     | text                                                   | part              | place |
        | a file that is not there | {jobs: {a: {workflow: ./none.sh}}}                     | not in `files`    | 1:23  |
        | a script that is no bash | {files: {a.sh: 'if ['}, jobs: {a: {workflow: a.sh}}}   | a.sh: 1:1         | 1:46  |
        | a pipeline without jobs  | {files: {a.yml: 'x: 1'}, jobs: {a: {workflow: a.yml}}} | `jobs` is missing | 1:47  |

    Scenario: a file that the command line cannot read
      Given a file "ci.yml":
        """
        jobs: { a: { workflow: ./none.sh } }
        """
      When I call "svc submit {folder}/ci.yml"
      Then it exits with 2
      And standard error has "runs ./none.sh, which cannot be read"
