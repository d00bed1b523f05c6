@store
Feature: svc lock lets only one run of a project continue at a time

  Rule: A group has one holder, and others wait without a process

    @VERB-019 @SCR-019 @SCR-055 @RUN-022 @RUN-023
    Scenario: a lock without a command is held until the run ends
      Given a gate "leave"
      When I submit the script "first.sh" as "first":
        """
        svc lock deploy
        echo in >> {folder}/first
        read -r _ < {folder}/leave
        """
      Then the file "first" soon has 1 line
      When I submit the script "second.sh" as "second":
        """
        echo "$$" >> {folder}/passes
        svc lock deploy
        svc step done -- echo through
        """
      Then the run waits for "awaiting_lease" "deploy"
      And the processes of the file "passes" are gone
      And `svc status` shows the substate "awaiting_lease" "deploy"
      When I open the gate "leave"
      Then the run succeeds
      And the file "passes" has 2 lines
      And the recorded steps are:
        | site     | kind | exit |
        | deploy#0 | lock | 0    |
        | done#0   | step | 0    |
      And the log is:
        """
        through
        """

    @SCR-055
    Scenario: a run that already holds a lease gets it again immediately
      When I submit the script "again.sh":
        """
        for i in 1 2 3; do svc lock deploy; done
        svc lock deploy -- echo inside
        """
      Then the run succeeds
      And nobody holds "deploy"
      And the log is:
        """
        inside
        """

    @VERB-019
    Scenario: other groups and other projects do not interfere
      Given a gate "leave"
      When I submit the script "holder.sh" as "holder":
        """
        svc lock deploy
        read -r _ < {folder}/leave
        """
      Then "deploy" is held by the run "holder"
      When I submit the script "other.sh" as "other":
        """
        svc lock deploy2
        svc lock "deploy "
        svc lock Deploy
        """
      Then the run succeeds
      And "deploy" is held by the run "holder"
      When I work in another project
      And I submit the script "elsewhere.sh" as "elsewhere":
        """
        svc lock deploy
        """
      Then the run succeeds
      When I open the gate "leave"

  Rule: Leases are granted in the order of the requests

    @VERB-020 @SCR-057
    Scenario: five runs get the lease in order
      Given a gate "leave"
      When I submit the script "holder.sh" as "holder":
        """
        svc lock deploy
        read -r _ < {folder}/leave
        """
      Then "deploy" is held by the run "holder"
      When 5 runs ask for "deploy" one after the other and write their number into "order"
      Then the queue of "deploy" holds these 5 runs in their order
      When I open the gate "leave"
      Then all runs succeed
      And the file "order" holds the numbers from 1 to 5 in order
      And every grant had a higher fence than the one before

  @contract
  Rule: A wait for a lease can time out

    Scenario: svc lock exits with 124 and leaves the queue if the lease is not free in time
      Given a gate "leave"
      When I submit the script "holder.sh" as "holder":
        """
        svc lock deploy
        read -r _ < {folder}/leave
        """
      Then "deploy" is held by the run "holder"
      When I submit the script "hasty.sh" as "hasty":
        """
        code=0; svc lock deploy --timeout 100ms || code=$?
        echo "code $code"
        code=0; svc lock deploy --timeout 0s -- echo never || code=$?
        echo "code $code"
        """
      Then the run succeeds
      And the log has "code 124" 2 times
      And the log lacks "never"
      And the queue of "deploy" is empty
      When I open the gate "leave"
      And I look at the run "holder"
      Then the run succeeds
