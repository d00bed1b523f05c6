@contract
Feature: Variables of a project and its org

  Rule: A variable is set, shown, replaced and removed

    Scenario: a variable is set, listed, shown and removed on the command line
      When I call "svc var set REGION eu-west-1"
      Then standard error has "Created variable REGION"
      When I call "svc var set REGION -" with standard input:
        """
        eu-north-1
        """
      Then standard error has "Replaced variable REGION"
      When I call "svc var get REGION"
      Then standard output is "eu-north-1"
      When I call "svc var ls"
      Then standard output matches "REGION +eu-north-1 +project +\d{4}-\d\d-\d\dT\S+ +\S+"
      When I call "svc var rm REGION"
      Then standard error has "Removed variable REGION"
      When I call "svc var get REGION"
      Then it exits with 1
      And standard error has "not_found"
      When I call "svc audit ls"
      Then standard output matches "variable\.delete +REGION"
      And standard output matches "variable\.set +REGION"

    @store
    Scenario: a variable of the project overrides the org's variable
      Given the variable "HIDDEN_REGION" of the org is "of-the-org"
      And the variable "SHARED_TIER" of the org is "gold"
      And the variable "HIDDEN_REGION" is "of-the-project"
      When I call "svc var ls"
      Then standard output matches "HIDDEN_REGION +of-the-project +project"
      And standard output matches "SHARED_TIER +gold +org"
      And standard output lacks "of-the-org"
      When I call "svc var get HIDDEN_REGION --org"
      Then standard output is "of-the-org"
      When I call "svc var rm SHARED_TIER"
      Then it exits with 1
      And standard error has "svc var rm SHARED_TIER --org"
      When I send "DELETE" to "{scoped}/vars/HIDDEN_REGION"
      And I send "GET" to "{scoped}/vars/HIDDEN_REGION"
      Then "value" of the answer is "of-the-org"
      And "origin" of the answer is "org"

    Scenario Outline: a name <that> is rejected
      When I send "PUT" to "{scoped}/vars/<name>" with:
        """
        {"value": "x"}
        """
      Then the answer is 400 with code "invalid_request"
      And the answer has "<says>"

      Examples:
        | that                          | name         | says                    |
        | that is no variable name      | my-region    | must be a variable name |
        | that is reserved              | SVC_TOKEN    | reserved                |
        | that decides how programs start | NODE_OPTIONS | how they start        |

    Scenario: project roles determine who can read and set variables
      Given a token of every role
      And the variable "REGION" is "first"
      When I call "svc var get REGION" with "SVC_TOKEN" set to "{viewer}"
      Then standard output is "first"
      When I call "svc var set REGION second" with "SVC_TOKEN" set to "{member}"
      Then it exits with 1
      And standard error has "forbidden"
      When I call "svc var set REGION second" with "SVC_TOKEN" set to "{admin}"
      Then standard error has "Replaced variable REGION"
      When I call "svc var set REGION third --org" with "SVC_TOKEN" set to "{admin}"
      Then it exits with 1

  Rule: A run keeps the values from its start

    @store
    Scenario: jobs get the values in their environment, and a later change does not affect a run that has started
      Given the variable "REGION" is "first"
      And the variable "JOB_TIER" of the org is "gold"
      When I submit the script "look.sh":
        """
        test "$REGION/$JOB_TIER" = first/gold
        svc wait-signal go
        test "$REGION/$JOB_TIER" = first/gold
        test -z "${LATER+set}"
        svc output set region="$(svc step read -- sh -c 'printf %s "$REGION"')"
        """
      Then the run waits for "signal" "go"
      Given the variable "REGION" is "second"
      And the variable "JOB_TIER" of the org is "silver"
      And the variable "LATER" is "x"
      When I send the signal "go" with "null"
      Then the run succeeds
      And "output.region" of the run is "first"

    @store
    Scenario: a pipeline's expressions read the values from its start, and the pipeline's own vars override them
      Given the variable "REGION" is "first"
      And the variable "CHANNEL" is "beta"
      When I submit the pipeline:
        """
        vars: { CHANNEL: stable }
        outputs: { region: "${{ jobs.after.outputs.region }}", channel: "${{ vars.CHANNEL }}" }
        jobs:
          before: { wait_for_signal: go }
          skipped: { if: "vars.REGION != 'first'", steps: [{ run: "exit 1" }] }
          after:
            needs: before
            strategy: { matrix: { place: ["${{ vars.REGION }}"] } }
            steps:
              - id: look
                run: |
                  test "$REGION/$CHANNEL" = first/beta
                  test "${{ vars.REGION }}" = first
                  echo "region=${{ matrix.place }}" >> "$SVC_OUTPUT"
            outputs: { region: "${{ steps.look.output.region }}" }
        """
      Then the run waits for "signal" "go"
      When I send "DELETE" to "{scoped}/vars/REGION"
      And I send the signal "go" with "null"
      Then the run succeeds
      And "output.region" of the run is "first"
      And "output.channel" of the run is "stable"

    Scenario: nodes of a graph read the values, and a called run gets the values of its caller
      Given the variable "REGION" is "first"
      And I save the graph "callee":
        """
        {"nodes": [{"id": "say", "type": "set", "config": {"values": {"$expr": "vars.REGION"}}}]}
        """
      When I run the graph:
        """
        {"nodes": [{"id": "ask", "type": "wait_signal", "config": {"name": "go"}},
                   {"id": "call", "type": "workflow", "config": {"graph": "callee"}}],
         "edges": [{"from": "ask", "to": "call"}]}
        """
      Then the run waits for "signal" "go"
      Given the variable "REGION" is "second"
      When I send the signal "go" with "null"
      Then the run succeeds
      And "output" of the run is "first"

    Scenario: a rerun gets the current values
      Given the variable "REGION" is "first"
      When I submit the script "look.sh":
        """
        svc output set region="$REGION"
        """
      Then the run succeeds
      Given the variable "REGION" is "second"
      When I rerun it as "again"
      Then the run succeeds
      And "output.region" of the run is "second"

    Scenario: the workflow's env overrides a variable, and so does a secret
      Given the variable "SHARED" is "from-the-variable"
      And the variable "TOKEN" is "from-the-variable"
      And the secret "TOKEN" is "from-the-secret"
      When I submit the script "look.sh" with the options '{"env": {"SHARED": "from-env"}}':
        """
        test "$SHARED" = from-env
        test "$TOKEN" = from-the-secret
        """
      Then the run succeeds

  Rule: A check uses the project's variables

    Scenario: a pipeline that reads an unknown variable is rejected, unless it tests for the variable
      Given the variable "REGION" is "eu"
      When I check the pipeline:
        """
        jobs:
          a:
            steps:
              - run: |
                  echo "${{ vars.REGION }}" "${{ has(vars.PLACE) ? vars.PLACE : 'none' }}"
              - run: echo "${{ vars.REGOIN }}"
              - run: echo "${{ vars.QUOTA }}"
        """
      Then it has 2 problems
      And it has the problem "there is no `vars.REGOIN`; did you mean `REGION`?" at "6:23"
      And it has the problem "set it with `svc var set QUOTA`" at "7:23"

    Scenario: a graph that reads an unknown variable is saved with a warning
      When I call "svc graph save g -" with standard input:
        """
        {"version": "svc-graph/v1", "nodes": [{"id": "say", "type": "set", "config": {"values": {"$expr": "vars.QUOTA"}}}], "edges": []}
        """
      Then it exits with 0
      And standard error has "vars.QUOTA"
      And standard error has "svc var set QUOTA"
