@contract
Feature: Leases and children survive crashes

  @own-server
  Rule: If a server dies, no lease is lost or granted twice

    @store
    Scenario: holder and queue are unchanged after a server restart
      When I submit the script "holder.sh" as "holder":
        """
        svc lock deploy
        svc step in -- sh -c 'echo in >> {folder}/order'
        echo in >> {folder}/entered
        until [ -e {folder}/leave ]; do sleep 0.1; done
        """
      Then "deploy" is held by the run "holder"
      And the file "entered" soon has 1 line
      When 3 runs ask for "deploy" one after the other and write their number into "order"
      Then the queue of "deploy" holds these 3 runs in their order
      When the server is killed
      And the server is started again
      Then "deploy" is held by the run "holder"
      And the queue of "deploy" holds these 3 runs in their order
      Given a file "leave":
        """
        now
        """
      Then all runs succeed
      And the file "order" is:
        """
        in
        1
        2
        3
        """
      And nobody holds "deploy"

    @store
    Scenario: a lease granted while its server died is announced by the next server
      When I submit the script "holder.sh" as "holder":
        """
        svc lock deploy
        until [ -e {folder}/leave ]; do sleep 0.1; done
        """
      Then "deploy" is held by the run "holder"
      When 1 run asks for "deploy" and writes its number into "order"
      Given a file "leave":
        """
        now
        """
      When the server is killed
      And the server is started again
      Then all runs succeed
      And the file "order" has 1 line
      And nobody holds "deploy"

  @own-server
  Rule: If an agent dies, no lease and no child is lost

    @store
    Scenario: the holder's next pass still has the lease, and its command has the same key
      When I submit the script "holder.sh" as "holder":
        """
        svc lock deploy -- sh -c '[ -e {folder}/second ]; again=$?; touch {folder}/second; echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys; [ $again = 0 ] || sleep 600'
        """
      Then the file "keys" soon has 1 line
      When 1 run asks for "deploy" and writes its number into "order"
      And the last agent is killed
      And an agent "next" starts in the folder "next"
      Then all runs succeed
      And the file "keys" has 2 lines
      And the file "keys" has 1 different line
      And the file "order" has 1 line

  Rule: A cancelled run does nothing more

    Scenario: verbs called by a script that is being stopped have no effect
      When I submit the script "late.sh":
        """
        trap 'svc lock late; svc activity-submit late -- touch {folder}/late; svc spawn {folder}/late.sh; exit 0' TERM
        echo 'touch {folder}/late' > {folder}/late.sh
        echo up >> {folder}/up
        while :; do sleep 0.1; done
        """
      Then the file "up" soon has 1 line
      When I cancel the run because "enough"
      Then the run is "cancelled"
      And 0 steps are recorded
      And nobody holds "late"
      And the file "late" is not there
