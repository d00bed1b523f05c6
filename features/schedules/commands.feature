Feature: Schedules on the command line

  Rule: a schedule is set, shown, told the times of, and removed

    Scenario: a script at half past two by the clock of Berlin
      Given a file "backup.sh":
        """
        echo backup
        """
      When I call "svc schedule set nightly '30 2 * * *' backup.sh --timezone Europe/Berlin --tag kind:backup --paused"
      Then standard error has "schedule nightly is made; it is paused"
      When I call "svc schedule set nightly '30 2 * * *' backup.sh --timezone Europe/Berlin --subject db"
      Then standard error matches "schedule nightly is replaced; next due \d{4}-\d\d-\d\dT\d\d:30:00.000Z"
      When I call "svc schedule ls"
      Then standard output matches "^nightly +30 2 \* \* \* +Europe/Berlin +backup.sh +\d{4}-"
      When I call "svc schedule show nightly"
      Then standard output has "30 2 * * * (Europe/Berlin)"
      And standard output matches "^subject +db$"
      When I call "svc schedule show nightly --json"
      Then standard output is JSON with "next_due"
      When I call "svc schedule rm nightly"
      Then standard error has "schedule nightly is removed"
      When I call "svc schedule ls"
      Then standard output is ""
      When I call "svc schedule rm nightly"
      Then it exits with 1
      And standard error has "not_found"

    Scenario: the server tells when it is due, one time a line
      When I call "svc schedule set leap '0 12 29 FEB *'"
      And I call "svc schedule next leap -n 2"
      Then standard output matches "^\d{4}-02-29T12:00:00.000Z\n\d{4}-02-29T12:00:00.000Z\n?$"
      When I call "svc schedule next leap -n 0"
      Then it exits with 2

    Scenario: what is of a workflow needs one
      When I call "svc schedule set pulse '@yearly' --tag a:b"
      Then it exits with 2
      And standard error has "--tag is of a workflow"

    Scenario: a cron expression that is none is told on the spot
      When I call "svc schedule set bad '61 * * * *'"
      Then it exits with 1
      And standard error has "cron_invalid"
      And standard error has "as its minute, which takes 0 to 59"
