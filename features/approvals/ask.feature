@contract
Feature: A run asks a person

  Rule: Only an answer that matches the form ends the wait

    @store
    Scenario: a wait with a form rejects any other answer and lists every error
      When I submit the script "refund.sh":
        """
        answer=$(svc wait-signal refund --message 'Refund order 7?' --form 'amount: number, env: test|live = test, note?: text') || exit 1
        svc step pay -- printf '%s' "$answer"
        """
      Then the run waits for "signal" "refund"
      When I send "GET" to "{scoped}/runs/{run}/questions"
      Then the answer is 200
      And "questions.0.message" of the answer is "Refund order 7?"
      And "questions.0.form.properties.env.default" of the answer is "test"
      And "questions.0.may_answer" of the answer is "true"
      When I send "POST" to "{scoped}/runs/{run}/signals/refund" with:
        """
        {"amount": "five", "env": "prod", "other": 1}
        """
      Then the answer is 422 with code "signal_invalid"
      And "errors.0.pointer" of the answer matches "/payload"
      And "errors.2.pointer" of the answer matches "/payload"
      And the run waits for "signal" "refund"
      When I call "svc explain {run}"
      Then standard output has "Refund order 7?"
      And standard output has "svc approve {run} refund"
      When I call "svc approve {run} --data amount:=5"
      Then it exits with 0
      And the run succeeds
      And the log is:
        """
        {"amount":5}
        """
      When I call "svc signals {run}"
      Then standard output matches "refund +approved +tester"
      When I call "svc audit ls --action run.approve"
      Then standard output has "{run}"
      When I call "svc steps {run} --json"
      Then standard output has "answered by tester"

    @store
    Scenario: a signal sent before the wait does not answer it
      When I submit the script "early.sh":
        """
        svc wait-signal start
        svc wait-signal ship --message 'Ship it?'
        """
      Then the run waits for "signal" "start"
      When I send the signal "ship" with "1"
      And I send the signal "start" with "0"
      Then the run waits for "signal" "ship"
      When I call "svc approve {run} --data 2"
      Then the run succeeds
      And the log is:
        """
        0
        2
        """

    Scenario: a form that nobody can answer is rejected with its position
      When I submit the script "wrong.sh":
        """
        svc wait-signal a --form 'amount: numbr' || echo "code $?"
        svc wait-signal a --approvers 'not a name' || echo "code $?"
        """
      Then the run succeeds
      And the log has "code 2" 2 times
      And the log has "is not a type of amount"
      And 0 steps are recorded

  Rule: A rejected wait exits with 125 and records who rejected it

    Scenario: the script decides what happens after a rejection
      When I submit the script "ship.sh":
        """
        if answer=$(svc wait-signal ship --message 'Ship?'); then echo yes; else echo "code $? $answer"; fi
        """
      Then the run waits for "signal" "ship"
      When I call "svc reject {run} --reason 'not on a Friday'"
      Then it exits with 0
      And the run succeeds
      And the log matches "code 125 .*\"by\":\"tester\".*\"reason\":\"not on a Friday\""
      When I call "svc signals {run}"
      Then standard output matches "ship +rejected +tester"
      When I call "svc audit ls --action run.reject"
      Then standard output has "{run}"

    Scenario: a wait that treats any signal as approval cannot be rejected
      When I submit the script "plain.sh":
        """
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I call "svc reject {run}"
      Then it exits with 1
      And standard error has "svc cancel"
      And the run waits for "signal" "go"
      When I call "svc approve {run}"
      Then the run succeeds
      And the log is:
        """
        {"approved":true,"by":"tester"}
        """

    Scenario: a job's question contains the results of earlier jobs
      When I submit the pipeline:
        """
        inputs: { env: string = live }
        jobs:
          build:
            steps: [{ id: v, run: 'svc output set version=1.4' }]
            outputs: { version: "${{ steps.v.output.version }}" }
          approval:
            needs: [build]
            wait_for_signal: ship
            message: "Ship ${{ jobs.build.outputs.version }} to ${{ inputs.env }}?"
            form: "window: now|tonight = now"
        """
      Then the run waits for "signal" "ship"
      When I send "GET" to "{scoped}/runs/{run}/questions"
      Then "questions.0.message" of the answer is "Ship 1.4 to live?"
      When I call "svc approve {run} --data window=tonight"
      Then the run succeeds

    Scenario: a rejected node fails, and an answered job continues
      When I run the graph:
        """
        {"nodes": [{"id": "ask", "type": "wait_signal", "config": {"name": "go", "message": "Go?"}}]}
        """
      Then the run waits for "signal" "go"
      When I call "svc reject {run} --reason no"
      Then the run fails and its error has "rejected by tester: no"
      When I submit the pipeline:
        """
        jobs:
          approval: { wait_for_signal: approved, message: Deploy?, approvers: [admin], form: { env: { enum: [test, live] } } }
          deploy: { needs: approval, steps: [{ run: 'echo "to ${{ jobs.approval.outputs.env }}"' }] }
        """
      Then the run waits for "signal" "approved"
      When I call "svc approve {run} --data env=live"
      Then the run succeeds
      And the log has "to live"

  Rule: Only approvers can answer

    Scenario: the server rejects everyone else and lists who can answer
      Given a token noted as "low" with:
        """
        {"org": "{org}", "project": "{project}", "role": "member"}
        """
      When I submit the script "guarded.sh":
        """
        svc wait-signal deploy --approvers admin --envelope
        """
      Then the run waits for "signal" "deploy"
      When I send "POST" to "{scoped}/runs/{run}/signals/deploy" with the token "{low}" and:
        """
        1
        """
      Then the answer is 403 with code "approver_required"
      And "detail" of the answer matches "the admin role"
      When I send "POST" to "{scoped}/runs/{run}/signals/deploy/reject" with the token "{low}" and:
        """
        {}
        """
      Then the answer is 403 with code "approver_required"
      When I send "POST" to "{scoped}/runs/{run}/signals/deploy/links" with the token "{low}" and:
        """
        {}
        """
      Then the answer is 403 with code "approver_required"
      When I call "svc approve {run} deploy --data 1"
      Then the run succeeds
      And the log matches "{\"by\":\"tester\",\"at\":\"20..-.*\",\"payload\":1}"
