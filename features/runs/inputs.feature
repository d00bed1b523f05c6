@contract
Feature: Inputs with types

  Rule: A submission is checked against the inputs that its workflow declares, and gets their defaults

    Scenario: every problem is reported with its position, nothing is recorded, and defaults reach the jobs of a pipeline
      Given a file "deploy.yaml":
        """
        inputs:
          service: string
          replicas: integer = 2
          env: test|live = test
        outputs: { text: "${{ jobs.go.outputs.text }}", all: "${{ inputs }}" }
        jobs:
          go:
            if: inputs.replicas > 1
            env: { SERVICE: "${{ inputs.service }}" }
            steps:
              - { id: s, run: 'echo "text=$SERVICE in $(svc input env)" >> "$SVC_OUTPUT"' }
            outputs: { text: "${{ steps.s.output.text }} times ${{ inputs.replicas }}" }
        """
      When I call "svc submit deploy.yaml --input replicas=x env=prod more=1 --json"
      Then it exits with 1
      And standard error has "/input/service is required"
      And standard error has "/input/replicas must be integer"
      And standard error has "/input/env: must be one of"
      And standard error has "/input/more is not a known member"
      And standard error has "input_invalid"
      When I send "GET" to "{scoped}/runs"
      Then "runs" of the answer is "[]"
      When I call "svc submit deploy.yaml --service shop"
      Then it exits with 0
      When I look at the run on standard output
      Then the run succeeds
      And "output.text" of the run is "shop in test times 2"
      And "output.all" of the run is '{"service":"shop","replicas":2,"env":"test"}'

    Scenario: a date and an email address are checked
      Given a file "report.sh":
        """
        # svc:inputs day: date, to: email
        svc output set day="$(svc input day)"
        """
      When I call "svc submit report.sh --day tomorrow --to zoe"
      Then it exits with 1
      And standard error has "/input/day must be a date such as 2026-11-30; /input/to must be an email address"
      When I call "svc submit report.sh --day 2026-11-30 --to zoe@example.com"
      And I look at the run on standard output
      Then the run succeeds

    Scenario: a script in any language declares its inputs in a comment
      Given a file "ship.py":
        """
        import subprocess
        # svc:inputs
        #   service: string
        #   regions: {"type": "array", "items": {"type": "string"}, "default": ["eu"]}
        print(subprocess.run(["svc", "input"], capture_output=True, text=True).stdout)
        """
      When I call "svc submit ship.py"
      Then it exits with 1
      And standard error has "/input/service is required"
      When I call "svc submit ship.py --service shop --follow"
      Then it exits with 0
      And standard output has '{"service":"shop","regions":["eu"]}'
      When I call "svc check ship.py"
      Then standard output has "ship.py: ok"
      Given a file "typo.sh":
        """
        # svc:inputs service: strng
        """
      When I call "svc check typo.sh"
      Then it exits with 1
      And standard output has "typo.sh:1:3: svc:inputs \"strng\" is not a type of service"

    Scenario: the inputs of a stored graph are checked, and an expression that reads an undeclared input is reported
      Given the published graph "ship":
        """
        {
          "version": "svc-graph/v1",
          "inputs": { "service": "string", "replicas": "integer = 1" },
          "nodes": [{ "id": "say", "type": "set", "config": { "values": { "text": { "$expr": "inputs.service + string(inputs.replicas)" } } } }]
        }
        """
      When I send "POST" to "{scoped}/inputs" with:
        """
        {"graph": "ship"}
        """
      Then the answer is 200
      And "schema.required" of the answer is '["service"]'
      When I call "svc call graph ship --service shop"
      Then it exits with 0
      And standard output has "shop1"
      When I call "svc submit --graph ship --input replicas:=2"
      Then it exits with 1
      And standard error has "/input/service is required"
      Given a file "other.json":
        """
        {"version":"svc-graph/v1","inputs":{"service":"string"},"nodes":[{"id":"a","type":"set","config":{"values":{"a":{"$expr":"inputs.servce"}}}}]}
        """
      When I call "svc check other.json"
      Then it exits with 1
      And standard output has "the graph declares no input servce; did you mean service?"

    Scenario Outline: a workflow that cannot run has no inputs
      When I send "POST" to "{scoped}/inputs" with:
        """
        <workflow>
        """
      Then the answer is <status> with code "<code>"

      Examples:
        | workflow                                                                                     | status | code             |
        | {}                                                                                           | 400    | invalid_request  |
        | {"function": "charge", "source": "true"}                                                     | 400    | invalid_request  |
        | {"kind": "function", "source": "true"}                                                       | 422    | workflow_invalid |
        | {"filename": "a.sh", "source": "# svc:inputs service: strng"}                                | 422    | workflow_invalid |
        | {"filename": "a.sh", "source": "# svc:inputs toString?: string"}                             | 422    | workflow_invalid |
        | {"filename": "a.sh", "source": "# svc:inputs {\\"a\\": {\\"type\\": 5}}"}                        | 422    | workflow_invalid |
        | {"filename": "a.yml", "source": "inputs: &a {b: *a}\\njobs: {c: {steps: [{run: exit}]}}"}     | 422    | pipeline_invalid |
        | {"filename": "a.yml", "source": "inputs: {a: number = 1e999}\\njobs: {c: {steps: [{run: exit}]}}"} | 422 | pipeline_invalid |

  Rule: Runs that an event, a schedule or another run starts are checked too

    Scenario: a payload becomes the input of a handler's run, and an invalid one is visible with its reason
      Given the handler "ship" on "deploy.requested" runs "ship.sh":
        """
        # svc:inputs service: string, replicas: integer = 1
        svc output set service="$(svc input service)" replicas:="$(svc input replicas)"
        """
      When somebody emits "deploy.requested" with '{"payload": {"service": "shop"}}'
      Then the project comes to rest
      And the handler "ship" succeeds
      When somebody emits "deploy.requested" with '{"payload": {"replicas": "many"}}'
      And the last event of type "deploy.requested" is looked at
      Then it was delivered so:
        | name | state   | reason                                             |
        | ship | refused | input_invalid: /input/service is required; /input/replicas must be integer |
      And the handler "ship" ran 1 time

    Scenario: a schedule is rejected when it is set, and a called run when it starts
      Given a file "ship.sh":
        """
        # svc:inputs service: string
        svc input service
        """
      When I call "svc schedule set nightly '0 3 * * *' ship.sh"
      Then it exits with 1
      And standard error has "/input/service is required"
      When I call "svc schedule set nightly '0 3 * * *' ship.sh --input service=shop"
      Then it exits with 0
      Given a file "all.yaml":
        """
        jobs:
          bad: { workflow: ./ship.sh, with: { service: 7 } }
        """
      When I submit "{folder}/all.yaml" with the CLI as "it"
      Then the run fails and its error has "/input/service must be string"

    Scenario: a rerun has the defaults of the first run
      Given a file "once.sh":
        """
        # svc:inputs replicas: integer = 4
        svc output set replicas:="$(svc input replicas)"
        """
      When I submit "{folder}/once.sh" with the CLI as "first"
      Then the run succeeds
      When I call "svc rerun {run}"
      Then it exits with 0
      When I look at the run on standard output
      Then the run succeeds
      And "output.replicas" of the run is "4"

  Rule: Inputs are flags, and errors show the flag

    Scenario: inputs of every type are flags
      Given a file "flags.sh":
        """
        # svc:inputs {
        #   "properties": {
        #     "service": {"type": "string", "description": "What to deploy."},
        #     "dry_run": {"type": "boolean", "default": true},
        #     "env": {"enum": ["test", "live"], "default": "test"},
        #     "ports": {"type": "array", "items": {"type": "integer"}},
        #     "tag": {"type": "string"}
        #   },
        #   "required": ["service"]
        # }
        svc input
        """
      When I call "svc submit flags.sh --service shop --no-dry-run --ports 80 --ports 443 --input.env live --input.tag v1 --tag mine --follow"
      Then it exits with 0
      And standard output has '{"service":"shop","dry_run":false,"ports":[80,443],"env":"live","tag":"v1"}'
      When I call "svc submit flags.sh --service shop --ports x"
      Then it exits with 2
      And standard error has '--ports is "x"; it must be a whole number'
      When I call "svc submit flags.sh --no-dry-run"
      Then it exits with 2
      And standard error has "--service is missing"
      When I call "svc submit flags.sh --servce shop"
      Then it exits with 2
      And standard error has "did you mean --service?"
      When I call "svc submit --service shop"
      Then it exits with 2
      When I call "svc help flags.sh"
      Then standard output has "--service <text>"
      And standard output has "What to deploy. (required)"
      And standard output has "--input.tag <text>"
