/* How the LB policies of cluster specifier plugins are named among those of clusters: the name of
 * a plugin "p"'s begins with "cluster_specifier_plugin:p" there. So no route may name a cluster
 * that begins so (the host, whose clusters have a prefix of their own there, lets it). */
#ifndef GRPC_XDS_RESOURCES_PLUGIN_CHILD_H_
#define GRPC_XDS_RESOURCES_PLUGIN_CHILD_H_

#define GXDS_PLUGIN_CHILD_PREFIX "cluster_specifier_plugin:"

#endif
