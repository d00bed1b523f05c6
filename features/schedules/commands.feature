@contract
Feature: Schedules on the command line

  Rule: A schedule is set, shown, previewed and removed

    Scenario: a script is scheduled for half past two in Berlin time
      Given a file "backup.sh":
        """
        echo backup
        """
      When I call "svc schedule set nightly '30 2 * * *' backup.sh --timezone Europe/Berlin --tag kind:backup --paused"
      Then standard error has "Created schedule nightly, which is paused"
      When I call "svc schedule set nightly '30 2 * * *' backup.sh --timezone Europe/Berlin --subject db"
      Then standard error matches "Replaced schedule nightly; next due \d{4}-\d\d-\d\dT\d\d:30:00.000Z"
      When I call "svc schedule ls"
      Then standard output matches "^nightly +30 2 \* \* \* +Europe/Berlin +backup.sh +\d{4}-"
      When I call "svc schedule show nightly"
      Then standard output has "30 2 * * * (Europe/Berlin)"
      And standard output matches "^subject +db$"
      When I call "svc schedule show nightly --json"
      Then standard output is JSON with "next_due"
      When I call "svc schedule rm nightly"
      Then standard error has "Removed schedule nightly"
      When I call "svc schedule ls"
      Then standard output is ""
      When I call "svc schedule rm nightly"
      Then it exits with 1
      And standard error has "not_found"

    Scenario: the server lists the next due times, one per line
      When I call "svc schedule set leap '0 12 29 FEB *'"
      And I call "svc schedule next leap -n 2"
      Then standard output matches "^\d{4}-02-29T12:00:00.000Z\n\d{4}-02-29T12:00:00.000Z\n?$"
      When I call "svc schedule next leap -n 0"
      Then it exits with 2

    Scenario: workflow flags require a workflow
      When I call "svc schedule set pulse '@yearly' --tag a:b"
      Then it exits with 2
      And standard error has "--tag needs a workflow"

    Scenario: an invalid cron expression is rejected immediately
      When I call "svc schedule set bad '61 * * * *'"
      Then it exits with 1
      And standard error has "cron_invalid"
      And standard error has "as its minute, which must be 0 to 59"

  Rule: A schedule's workflow has the same options as a submission

    Scenario: a schedule's workflow is set with the same options as a submission
      Given the credential "bot" is '{"kind": "bearer", "token": "tok-5-ab"}'
      And a file "hold.sh":
        """
        test "$TOKEN" = tok-5-ab && grep -q '"from":"here"' "$SVC_INPUT_FILE" && svc step checked -- true
        """
      When I call "svc schedule set pulse '* * * * * *' hold.sh --cancel-on halt --credential TOKEN=bot --input '{\"from\":\"here\"}' --tag a:b"
      And the schedule "pulse" has ticked and is removed
      Then the run succeeds
      And 1 step is recorded
      And "cancel_on" of the run is '["halt"]'
      And "tags" of the run is '["a:b"]'

    Scenario: the HTTP API sets the same options, and the list omits the document
      Given the schedule "yearly" is '{"cron": "@yearly", "workflow": {"source": "true", "cancel_on": ["halt"], "subject": "books"}}'
      When I send "GET" to "{scoped}/schedules"
      Then "schedules.0.workflow.cancel_on" of the answer is '["halt"]'
      And "schedules.0.workflow.subject" of the answer is "books"
      And the answer lacks '"source"'
