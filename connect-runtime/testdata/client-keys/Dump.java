import org.apache.kafka.common.config.ConfigDef;
import java.util.*;
/** Prints every key of the clients: client, name, type, default, importance, validator. Run it with kafka-clients in the class path. */
public class Dump {
  public static void main(String[] a) throws Exception {
    Map<String, ConfigDef> defs = new LinkedHashMap<>();
    defs.put("P", org.apache.kafka.clients.producer.ProducerConfig.configDef());
    defs.put("C", org.apache.kafka.clients.consumer.ConsumerConfig.configDef());
    defs.put("A", org.apache.kafka.clients.admin.AdminClientConfig.configDef());
    for (var e : defs.entrySet()) for (var k : e.getValue().configKeys().values()) {
      System.out.println(e.getKey()+"\t"+k.name+"\t"+k.type+"\t"+(k.defaultValue==ConfigDef.NO_DEFAULT_VALUE?"<required>":k.defaultValue==null?"<null>":ConfigDef.convertToString(k.defaultValue,k.type))+"\t"+k.importance+"\t"+(k.validator==null?"":k.validator.toString()));
    }
  }
}
